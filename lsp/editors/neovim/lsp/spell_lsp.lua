-- spell-lsp for vim.lsp.config, from Neovim 0.11 on. Copy it to
-- ~/.config/nvim/lsp/ and say vim.lsp.enable('spell_lsp'). The commands are in
-- ../spell-lsp.lua.

return {
  cmd = { 'spell-lsp' },
  filetypes = { 'go' },
  root_markers = { 'go.mod' },
  settings = { spell = vim.empty_dict() },
}
