# spell-lsp in Kakoune, beside gopls, with kakoune-lsp from 19 on. Source it in kakrc
# after `eval %sh{kak-lsp}`.

hook -group spell-lsp global BufSetOption filetype=go %{
    set-option -add buffer lsp_servers %{
        [spell-lsp]
        root_globs = ["go.mod"]
        settings_section = "spell"
        [spell-lsp.settings.spell]
    }
}

define-command -hidden spell-execute -params 2 \
    -docstring 'spell-execute <command> <argument>: have the server execute a command with a JSON object' %{
    lsp-execute-command "spell-lsp.%arg{1}" "[%arg{2}]" spell-lsp
}

define-command spell-measure -docstring 'measure with all tests of the module' %{
    spell-execute measure "{""scope"": ""workspace"", ""uri"": ""file://%val{buffile}""}"
}

define-command spell-measure-package -docstring 'measure with the tests of the package' %{
    spell-execute measure "{""scope"": ""package"", ""uri"": ""file://%val{buffile}""}"
}

define-command spell-measure-function -docstring 'measure the function at the cursor' %{
    spell-measure-at function
}

define-command spell-measure-test -docstring 'measure with the test or benchmark at the cursor' %{
    spell-measure-at test
}

# The server calls functions F, T.M or (*T).M.
define-command -hidden spell-measure-at -params 1 %{
    evaluate-commands -draft -save-regs / %{
        execute-keys 'gl<a-/>^func\b[^\n]*<ret>'
        spell-execute measure %sh{
            name=$(printf '%s\n' "$kak_selection" | sed -E \
                -e 's/^func[[:space:]]*\([[:space:]]*([[:alnum:]_]+[[:space:]]+)?(\*?)[[:space:]]*([[:alnum:]_]+)[^)]*\)[[:space:]]*([[:alnum:]_]+).*/\2\3.\4/' \
                -e 's/^\*([^.]*)\.(.*)$/(*\1).\2/' \
                -e 's/^func[[:space:]]+([[:alnum:]_]+).*/\1/')
            printf '{"scope": "%s", "uri": "file://%s", "name": "%s"}' "$1" "$kak_buffile" "$name"
        }
    }
}

define-command spell-cancel -docstring 'end the measurement' %{ spell-execute cancel '{}' }
define-command spell-clear -docstring 'forget what was measured' %{ spell-execute clear '{}' }
define-command spell-set-baseline -docstring 'compare later measurements with the last one' %{ spell-execute setBaseline '{}' }
define-command spell-load -params 1 -file-completion -docstring 'show a saved run, or a matrix of another tool' %{
    spell-execute load "{""path"": ""%arg{1}""}"
}
