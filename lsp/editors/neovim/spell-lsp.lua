-- spell-lsp in Neovim, from 0.7 on. Copy it to ~/.config/nvim/plugin/, or
-- source it. It runs beside gopls.
--
--   :SpellMeasure [scope]   measure the workspace, package, file, or the function
--                           or test at the cursor, then show
--   :SpellMeasure program   measure the program of this package, without arguments
--   :SpellMeasureOn [name]  measure the workspace on one of your machines, once;
--                           without a name it asks on which
--   :SpellScenario [name]   measure a scenario of the settings (or all); without a
--                           name it asks which
--   :SpellCancel            end the measurement
--   :SpellRanking           the ranking as a quickfix list
--   :SpellClear             remove all results from the editor
--   :SpellSetBaseline       compare later measurements with the last one
--   :SpellCompare           what changed since the baseline
--   :SpellReport [format]   open the last measurement as a page, or in another format
--   :SpellLoad {file}       show a saved run, or a matrix of another tool
--   :SpellDoctor            which meters work here
--
-- vim.g.spell_lsp_cmd is the server's command, vim.g.spell_lsp_settings has the
-- keys of .spell-lsp.yaml.

-- The command line shows the progress of a measurement, unless something is typed there.
-- Other plugins that show progress still get it.
local function show_progress(err, result, ...)
  local value = result.value
  local text = value.message or value.title
  if text and vim.api.nvim_get_mode().mode == 'n' then
    local percent = value.percentage and string.format(' (%d %%)', value.percentage) or ''
    vim.api.nvim_echo({ { vim.fn.strcharpart('spell-lsp: ' .. text .. percent, 0, vim.v.echospace) } }, false, {})
  end
  return vim.lsp.handlers['$/progress'](err, result, ...)
end

-- The client has the name of lsp/spell_lsp.lua: where both are used, Neovim
-- starts one.
local settings = vim.g.spell_lsp_settings or vim.empty_dict()
local config = {
  name = 'spell_lsp',
  cmd = vim.g.spell_lsp_cmd or { 'spell-lsp' },
  settings = { spell = settings },
  init_options = settings, -- Neovim 0.7 sends the server no other settings
  handlers = { ['$/progress'] = show_progress },
}

local scopes = { 'workspace', 'package', 'file', 'function', 'test', 'program' }
local formats = { 'text', 'markdown', 'csv', 'json' }
local letter = '[%w_\128-\255]' -- of a name

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

-- Until 0.11 Neovim fetches lenses only when told to.
local function refresh_lenses()
  if not vim.lsp.codelens.enable then
    vim.lsp.codelens.refresh()
  end
end

local function complain(text)
  vim.notify('spell-lsp: ' .. text, vim.log.levels.ERROR)
end

local function show_ranking(rows)
  local items = {}
  for _, row in ipairs(rows) do
    table.insert(items, {
      filename = vim.uri_to_fname(row.uri), lnum = row.line, col = row.column,
      text = string.format('#%d %s %s: %s%s', row.rank, row.zone, row.id, row.text, row.stale and ' (edited since)' or ''),
    })
  end
  vim.fn.setqflist({}, ' ', { title = 'spell-lsp', items = items })
  vim.cmd('copen')
end

local function show_page(text)
  vim.cmd('new')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(text, '\n'))
  vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile, vim.bo.modifiable = 'nofile', 'wipe', false, false
end

-- A report is a page to read: its tables need long lines, and nobody writes into it.
local function show_report(result)
  vim.cmd('split ' .. vim.fn.fnameescape(result.path))
  vim.wo.wrap, vim.bo.readonly, vim.bo.modifiable = false, true, false
end

local function show_measurement(result)
  refresh_lenses()
  vim.notify('spell-lsp: ' .. result.summary)
end

local show = {
  ['spell-lsp.measure'] = show_measurement,
  ['spell-lsp.drillDown'] = show_measurement,
  ['spell-lsp.ranking'] = show_ranking,
  ['spell-lsp.setBaseline'] = function() vim.notify('spell-lsp: later measurements are compared with this one') end,
  ['spell-lsp.compare'] = function(result) show_page(result.page) end,
  ['spell-lsp.report'] = show_report,
}

local function show_other(result)
  refresh_lenses()
  if type(result) == 'string' then
    show_page(result)
  end
end

-- execute runs a command of the server, and shows its result.
local function execute(command, argument)
  local c = client()
  if not c then
    complain('not running here: open a Go file of a module')
    return
  end
  local params = { command = command, arguments = { argument or vim.empty_dict() } }
  local function answer(err, result)
    if err then
      complain(err.message)
    else
      (show[command] or show_other)(result)
    end
  end
  if vim.fn.has('nvim-0.11') == 1 then
    c:request('workspace/executeCommand', params, answer)
  else
    c.request('workspace/executeCommand', params, answer)
  end
end

-- Results of commands in lenses and code actions are shown as well.
for _, name in ipairs({ 'measure', 'cancel', 'clear', 'setBaseline', 'compare', 'drillDown', 'load', 'report', 'ranking', 'doctor' }) do
  vim.lsp.commands['spell-lsp.' .. name] = function(command)
    execute(command.command, (command.arguments or {})[1])
  end
end

-- at_cursor names the function around the cursor as the server does: F, T.M or
-- (*T).M.
local function at_cursor()
  for number = vim.api.nvim_win_get_cursor(0)[1], 1, -1 do
    local line = vim.fn.getline(number)
    local receiver, method = line:match('^func%s*(%b())%s*(' .. letter .. '+)')
    if method then
      local type_name = receiver:gsub('%b[]', ''):match('(' .. letter .. '+)%s*%)$')
      return string.format(receiver:find('*', 1, true) and '(*%s).%s' or '%s.%s', type_name, method)
    end
    local name = line:match('^func%s+(' .. letter .. '+)')
    if name then
      return name
    end
  end
end

local function is_test(name)
  for _, prefix in ipairs({ 'Test', 'Benchmark', 'Example', 'Fuzz' }) do
    if vim.startswith(name, prefix) then
      return true
    end
  end
end

local function measure(scope)
  local argument = { scope = scope, uri = vim.uri_from_bufnr(0) }
  if scope == 'function' or scope == 'test' then
    argument.name = at_cursor()
    if not argument.name or scope == 'test' and not is_test(argument.name) then
      complain('the cursor is in no ' .. scope)
      return
    end
  end
  execute('spell-lsp.measure', argument)
end

local function measure_scenario(name)
  execute('spell-lsp.measure', { scope = 'scenario', uri = vim.uri_from_bufnr(0), name = name })
end

-- choose_scenario asks which of the scenarios to measure.
local function choose_scenario(result)
  local names = {}
  for _, scenario in ipairs(result.scenarios) do
    table.insert(names, scenario.name)
  end
  if #names == 0 then
    complain('no scenario is named: add some under scenarios: in .spell-lsp.yaml')
    return
  end
  table.insert(names, 'all')
  vim.ui.select(names, { prompt = 'Measure scenario' }, function(name)
    if name then
      measure_scenario(name)
    end
  end)
end

show['spell-lsp.programs'] = choose_scenario

local function measure_on(name)
  execute('spell-lsp.measure', { scope = 'workspace', uri = vim.uri_from_bufnr(0), machine = name })
end

-- choose_machine asks on which of the user's machines to measure.
local function choose_machine(result)
  if result.problem then
    complain(result.problem)
    return
  end
  if #result.machines == 0 then
    complain('no machine is named: add one to ' .. result.file .. ', such as\nlab: me@lab.example.org')
    return
  end
  local machines = vim.list_extend({ { name = '', host = 'this machine' } }, result.machines)
  vim.ui.select(machines, {
    prompt = 'Measure on',
    format_item = function(machine) return vim.trim(machine.name .. ' ' .. machine.host) end,
  }, function(machine)
    if machine then
      measure_on(machine.name)
    end
  end)
end

show['spell-lsp.machines'] = choose_machine

local function define(name, run, options)
  vim.api.nvim_create_user_command(name, function(command) run(command.args) end, options or {})
end

define('SpellMeasure', function(scope) measure(scope ~= '' and scope or 'workspace') end,
  { nargs = '?', complete = function() return scopes end })
define('SpellMeasureOn', function(name)
  if name ~= '' then
    measure_on(name)
  else
    execute('spell-lsp.machines')
  end
end, { nargs = '?' })
define('SpellScenario', function(name)
  if name ~= '' then
    measure_scenario(name)
  else
    execute('spell-lsp.programs', { uri = vim.uri_from_bufnr(0) })
  end
end, { nargs = '?' })
define('SpellCancel', function() execute('spell-lsp.cancel') end)
define('SpellClear', function() execute('spell-lsp.clear') end)
define('SpellRanking', function() execute('spell-lsp.ranking', { uri = vim.uri_from_bufnr(0) }) end)
define('SpellSetBaseline', function() execute('spell-lsp.setBaseline') end)
define('SpellCompare', function() execute('spell-lsp.compare') end)
define('SpellReport', function(format) execute('spell-lsp.report', { format = format ~= '' and format or 'text' }) end,
  { nargs = '?', complete = function() return formats end })
define('SpellLoad', function(path) execute('spell-lsp.load', { path = vim.fn.fnamemodify(path, ':p') }) end,
  { nargs = 1, complete = 'file' })
define('SpellDoctor', function() execute('spell-lsp.doctor') end)

local group = vim.api.nvim_create_augroup('spell-lsp', {})
vim.api.nvim_create_autocmd('FileType', {
  group = group, pattern = 'go', callback = function(event)
    attach(event.buf)
    if vim.lsp.codelens.enable then
      vim.lsp.codelens.enable(true, { bufnr = event.buf })
    end
  end,
})
vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave' }, {
  group = group, pattern = '*.go', callback = function()
    if client() then
      refresh_lenses()
    end
  end,
})
