" spell-lsp in Vim, beside gopls. Copy it to ~/.vim/plugin/. It works with vim-lsp,
" yegappan/lsp (Vim 9) or coc.nvim; coc.nvim starts the server as coc-settings.json
" next to this file says.
"
"   :SpellMeasure [scope]   measure the workspace, package, file, or the function
"                           or test at the cursor, then show
"   :SpellCancel            end the measurement
"   :SpellRanking           the ranking as a quickfix list
"   :SpellClear             remove all results from the editor
"   :SpellSetBaseline       compare later measurements with the last one
"   :SpellCompare           what changed since the baseline
"   :SpellReport {format}   write the last measurement to a file, and open it
"   :SpellLoad {file}       show a saved run, or a matrix of another tool
"   :SpellDoctor            which meters work here
"
" g:spell_lsp_cmd is the server's command, g:spell_lsp_settings has the keys of
" .spell-lsp.yaml.

if exists('g:loaded_spell_lsp')
  finish
endif
let g:loaded_spell_lsp = 1

let s:name = 'spell-lsp'
let s:cmd = get(g:, 'spell_lsp_cmd', ['spell-lsp'])
let s:settings = {'spell': get(g:, 'spell_lsp_settings', {})}
let s:commands = ['measure', 'cancel', 'clear', 'setBaseline', 'compare', 'drillDown', 'load', 'report', 'ranking', 'doctor']

" Starting the server. Results of commands in lenses and code actions are shown as well.

function! s:start_vim_lsp() abort
  call lsp#register_server({
    \ 'name': s:name,
    \ 'cmd': {_ -> s:cmd},
    \ 'root_uri': {_ -> lsp#utils#path_to_uri(lsp#utils#find_nearest_parent_file_directory(lsp#utils#get_buffer_path(), 'go.mod'))},
    \ 'allowlist': ['go'],
    \ 'workspace_config': s:settings,
    \ })
  for l:command in s:commands
    call lsp#register_command('spell-lsp.' . l:command, {context -> s:from_lens(context.command)})
  endfor
endfunction

function! s:start_yegappan() abort
  call LspAddServer([{
    \ 'name': s:name,
    \ 'path': s:cmd[0],
    \ 'args': s:cmd[1:],
    \ 'filetype': ['go'],
    \ 'rootSearch': ['go.mod'],
    \ 'workspaceConfig': s:settings,
    \ }])
  for l:command in s:commands
    call LspRegisterCmdHandler('spell-lsp.' . l:command, function('s:from_lens'))
  endfor
endfunction

augroup spell-lsp
  autocmd!
  autocmd User lsp_setup call s:start_vim_lsp()
  autocmd User LspSetup call s:start_yegappan()
augroup END

" Commands of the server.

function! s:from_lens(command) abort
  call s:execute(a:command.command[len('spell-lsp.'):], get(get(a:command, 'arguments', []), 0, {}))
endfunction

" execute runs a command of the server, and shows its result.
function! s:execute(command, argument) abort
  let l:params = {'command': 'spell-lsp.' . a:command, 'arguments': [a:argument]}
  if exists('g:lsp_loaded')
    call lsp#send_request(s:name, {
      \ 'method': 'workspace/executeCommand',
      \ 'params': l:params,
      \ 'on_notification': {data -> s:answer(a:command, get(data.response, 'error', {}), get(data.response, 'result', v:null))},
      \ })
  elseif exists('g:loaded_lsp')
    let l:server = lsp#buffer#CurbufGetServerByName(s:name)
    if empty(l:server)
      call s:complain('not running here: open a Go file of a module')
      return
    endif
    call l:server.rpc_a('workspace/executeCommand', l:params, {_, result, error -> s:answer(a:command, error, result)})
  elseif exists('*CocActionAsync')
    call CocActionAsync('runCommand', l:params.command, a:argument,
      \ {error, result -> s:answer(a:command, type(error) == v:t_string ? {'message': error} : {}, result)})
  else
    call s:complain('it needs vim-lsp, yegappan/lsp or coc.nvim')
  endif
endfunction

function! s:complain(text) abort
  echohl ErrorMsg | echomsg 'spell-lsp: ' . a:text | echohl None
endfunction

function! s:answer(command, error, result) abort
  if !empty(a:error)
    call s:complain(get(a:error, 'message', string(a:error)))
  elseif a:command ==# 'ranking'
    call s:show_ranking(a:result)
  elseif a:command ==# 'report'
    execute 'split' fnameescape(a:result.path)
  elseif a:command ==# 'compare'
    call s:show_page(a:result.page)
  elseif a:command ==# 'setBaseline'
    echomsg 'spell-lsp: later measurements are compared with this one'
  elseif type(a:result) == v:t_string
    call s:show_page(a:result)
  elseif type(a:result) == v:t_dict && has_key(a:result, 'components')
    echomsg 'spell-lsp: ' . a:result.summary
  endif
endfunction

function! s:show_ranking(rows) abort
  let l:items = []
  for l:row in a:rows
    call add(l:items, {
      \ 'filename': s:path(l:row.uri), 'lnum': l:row.line, 'col': l:row.column,
      \ 'text': printf('#%d %s %s: %s%s', l:row.rank, l:row.zone, l:row.id, l:row.text, l:row.stale ? ' (edited since)' : ''),
      \ })
  endfor
  call setqflist([], ' ', {'title': s:name, 'items': l:items})
  copen
endfunction

function! s:show_page(text) abort
  new
  call setline(1, split(a:text, "\n", 1))
  setlocal buftype=nofile bufhidden=wipe noswapfile nomodifiable
endfunction

" path and uri convert between paths and URIs, in which some bytes are escaped.

function! s:path(uri) abort
  let l:escaped = escape(substitute(a:uri, '^file://', '', ''), '"\')
  return eval('"' . substitute(l:escaped, '%\(\x\x\)', '\\x\1', 'g') . '"')
endfunction

function! s:uri() abort
  let l:path = expand('%:p')
  return 'file://' . join(map(range(len(l:path)), {_, i -> l:path[i] =~# '[A-Za-z0-9/._~-]' ? l:path[i] : printf('%%%02X', char2nr(l:path[i], 0))}), '')
endfunction

" at_cursor names the function around the cursor as the server does: F, T.M or
" (*T).M.
function! s:at_cursor() abort
  let l:line = getline(search('^func\>', 'bcnW'))
  let l:parts = matchlist(l:line, '^func\s*(\s*\%(\k\+\s\+\)\?\(\*\?\)\s*\(\k\+\)[^)]*)\s*\(\k\+\)')
  if !empty(l:parts)
    return printf(l:parts[1] ==# '*' ? '(*%s).%s' : '%s.%s', l:parts[2], l:parts[3])
  endif
  return matchstr(l:line, '^func\s\+\zs\k\+')
endfunction

function! s:measure(scope) abort
  let l:argument = {'scope': empty(a:scope) ? 'workspace' : a:scope, 'uri': s:uri()}
  if a:scope ==# 'function' || a:scope ==# 'test'
    let l:argument.name = s:at_cursor()
    if l:argument.name !~# (a:scope ==# 'test' ? '^\(Test\|Benchmark\|Example\|Fuzz\)' : '.')
      call s:complain('the cursor is in no ' . a:scope)
      return
    endif
  endif
  call s:execute('measure', l:argument)
endfunction

function! s:scopes(...) abort
  return "workspace\npackage\nfile\nfunction\ntest"
endfunction

function! s:formats(...) abort
  return "text\ncsv\njson"
endfunction

command! -nargs=? -complete=custom,s:scopes SpellMeasure call s:measure(<q-args>)
command! SpellCancel call s:execute('cancel', {})
command! SpellClear call s:execute('clear', {})
command! SpellRanking call s:execute('ranking', {'uri': s:uri()})
command! SpellSetBaseline call s:execute('setBaseline', {})
command! SpellCompare call s:execute('compare', {})
command! -nargs=1 -complete=custom,s:formats SpellReport call s:execute('report', {'format': <q-args>})
command! -nargs=1 -complete=file SpellLoad call s:execute('load', {'path': fnamemodify(<q-args>, ':p')})
command! SpellDoctor call s:execute('doctor', {})
