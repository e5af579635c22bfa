-- spell-lsp in Neovim, from 0.7 on. Copy it to ~/.config/nvim/plugin/, or
-- source it. It goes along with gopls.
--
--   :SpellMeasure [workspace|package]   measure, then show
--   :SpellCancel                        end the measurement
--   :SpellRanking                       the ranking as a quickfix list
--   :SpellClear                         forget what was measured

local config = {
  name = 'spell-lsp',
  cmd = vim.g.spell_lsp_cmd or { 'spell-lsp' },
  settings = { spell = vim.g.spell_lsp_settings or vim.empty_dict() },
}

local started = {} -- client by root folder, where Neovim does not know itself

local function attach(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  local go_mod = vim.fn.findfile('go.mod', vim.fn.fnamemodify(name, ':p:h') .. ';')
  if go_mod == '' then
    return
  end
  local root = vim.fn.fnamemodify(go_mod, ':p:h')
  local this = vim.tbl_extend('force', config, { root_dir = root })
  if vim.lsp.start then
    vim.lsp.start(this, { bufnr = buffer })
    return
  end
  if not started[root] then
    this.on_exit = function() started[root] = nil end
    started[root] = vim.lsp.start_client(this)
  end
  if started[root] then
    vim.lsp.buf_attach_client(buffer, started[root])
  end
end

local function client()
  local clients = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
  for _, c in pairs(clients) do
    if c.name == config.name and vim.lsp.buf_is_attached(vim.api.nvim_get_current_buf(), c.id) then
      return c
    end
  end
end

local function execute(command, argument, done)
  local c = client()
  if not c then
    vim.notify('spell-lsp is not running here: open a Go file of a module', vim.log.levels.ERROR)
    return
  end
  local params = { command = command, arguments = { argument } }
  local function answer(err, result)
    if err then
      vim.notify('spell-lsp: ' .. err.message, vim.log.levels.ERROR)
    elseif done then
      done(result)
    end
  end
  if vim.fn.has('nvim-0.11') == 1 then
    c:request('workspace/executeCommand', params, answer)
  else
    c.request('workspace/executeCommand', params, answer)
  end
end

local function show_ranking(rows)
  local items = {}
  for _, row in ipairs(rows) do
    table.insert(items, {
      filename = vim.uri_to_fname(row.uri), lnum = row.line,
      text = string.format('#%d %s psi %.2f %s%s', row.rank, row.zone, row.psi, row.id, row.stale and ' (edited since)' or ''),
    })
  end
  vim.fn.setqflist({}, ' ', { title = 'spell-lsp', items = items })
  vim.cmd('copen')
end

vim.api.nvim_create_user_command('SpellMeasure', function(command)
  local scope = command.args ~= '' and command.args or 'workspace'
  execute('spell-lsp.measure', { scope = scope, uri = vim.uri_from_bufnr(0) }, function(result)
    vim.lsp.codelens.refresh()
    vim.notify(string.format('spell-lsp: %d tests, %d functions', result.tests, result.components))
  end)
end, { nargs = '?', complete = function() return { 'workspace', 'package' } end })
vim.api.nvim_create_user_command('SpellCancel', function() execute('spell-lsp.cancel', vim.empty_dict()) end, {})
vim.api.nvim_create_user_command('SpellClear', function() execute('spell-lsp.clear', vim.empty_dict()) end, {})
vim.api.nvim_create_user_command('SpellRanking', function()
  execute('spell-lsp.ranking', vim.empty_dict(), show_ranking)
end, {})

local group = vim.api.nvim_create_augroup('spell-lsp', {})
vim.api.nvim_create_autocmd('FileType', {
  group = group, pattern = 'go', callback = function(event) attach(event.buf) end,
})
vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave' }, {
  group = group, pattern = '*.go', callback = function()
    if client() then
      vim.lsp.codelens.refresh()
    end
  end,
})
