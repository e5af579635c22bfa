-- A user measures on another machine in Neovim: names it in the file of machines, chooses it by the command, then
-- by the setting. The machine is this one, behind a real sshd, with one processor.
--
-- The environment is that of measure.lua.

local dir = assert(os.getenv('SPELL_DIR'))
local patience = 1000 * tonumber(os.getenv('SPELL_PATIENCE') or '30')
local file = assert(os.getenv('XDG_CONFIG_HOME')) .. '/spell-lsp/machines.yaml'

local function check(ok, message, ...)
  if not ok then
    error(string.format(message, ...), 2)
  end
end

-- await waits until condition() returns a value, and returns the value.
local function await(what, milliseconds, condition)
  local result
  vim.wait(milliseconds, function()
    result = condition()
    return result
  end, 20)
  check(result, 'waited %g s for %s', milliseconds / 1000, what)
  return result
end

local function start()
  vim.g.spell_lsp_cmd = vim.split(os.getenv('SPELL_SERVER'), ' ')
  vim.g.spell_lsp_settings = { rounds = 1, warmup = 0 }
  vim.cmd('source spell-lsp.lua')
  vim.cmd('edit ' .. vim.fn.fnameescape(dir .. '/order.go'))
  return await('initialize', patience, function() return vim.lsp.get_active_clients()[1] end)
end

-- told runs something, and returns the first that the user is told, and all that the user saw before it.
local function told(begin)
  local said, doing = {}, {}
  local notify, echo = vim.notify, vim.api.nvim_echo
  vim.notify = function(text) table.insert(said, text) end
  vim.api.nvim_echo = function(chunks) table.insert(doing, chunks[1][1]) end
  begin()
  await('a message', 300000, function() return #said > 0 end)
  vim.notify, vim.api.nvim_echo = notify, echo
  return said[1], table.concat(doing, '\n')
end

-- measured measures, and returns what the user saw meanwhile.
local function measured(begin)
  local said, doing = told(begin)
  check(said:match('^spell%-lsp: .* %% of the '), 'the user is told %s', said)
  return doing
end

-- record returns the record of the last run.
local function record()
  local params = { command = 'spell-lsp.report', arguments = { { format = 'json' } } }
  local _, answer = next(vim.lsp.buf_request_sync(0, 'workspace/executeCommand', params, 300000))
  return vim.fn.json_decode(vim.fn.readfile(answer.result.path))
end

-- hover returns the text of the hover on Sort.
local function hover()
  local line = vim.fn.search(') Sort(', 'nw')
  local params = { textDocument = { uri = vim.uri_from_bufnr(0) }, position = { line = line - 1, character = vim.fn.getline(line):find('Sort') - 1 } }
  local _, answer = next(vim.lsp.buf_request_sync(0, 'textDocument/hover', params, 300000))
  return answer.result and answer.result.contents.value or ''
end

-- there checks that the last run is of the machine, and that the user sees it.
local function there()
  local run = record()
  check(run.settings.machine == 'lab' and run.host.cores == 1, 'the run was measured on %s', vim.inspect(run.host))
  check(hover():find(' round on lab, measured ', 1, true), 'the hover is %s', hover())
  await('diagnostics', 300000, function()
    return vim.tbl_count(vim.tbl_filter(function(d) return d.code == 'energy-leak' end, vim.diagnostic.get(0))) > 0
  end)
end

local function command()
  local said = told(function() vim.cmd('SpellMeasureOn') end)
  check(said:find('no machine is named: add one to ' .. file, 1, true), 'without a machine the user is told %s', said)
  vim.fn.mkdir(vim.fn.fnamemodify(file, ':h'), 'p', 448)
  vim.fn.writefile({ 'lab: target' }, file)
  vim.fn.setfperm(file, 'rw-------')
  local select, asked = vim.ui.select, nil
  vim.ui.select = function(items, options, choose)
    asked = vim.tbl_map(options.format_item, items)
    choose(items[2])
  end
  local doing = measured(function() vim.cmd('SpellMeasureOn') end)
  vim.ui.select = select
  check(vim.deep_equal(asked, { 'this machine', 'lab target' }), 'the user chooses among %s', vim.inspect(asked))
  check(doing:find('connecting to lab', 1, true), 'meanwhile the user sees %s', doing)
  there()
  measured(function() vim.cmd('SpellMeasure') end)
  check(record().settings.machine == '', 'a choice is for one measurement, but the next one is of %s', record().settings.machine)
  check(not hover():find('on lab', 1, true), 'the hover is %s', hover())
end

-- set changes the setting of the server that runs.
local function set(client, name)
  client.config.settings.spell.machine = name
  client.notify('workspace/didChangeConfiguration', { settings = client.config.settings })
end

local function setting(client)
  set(client, 'rack')
  local said = told(function() vim.cmd('SpellMeasure') end)
  check(said:find('has no machine of that name (it has: lab)', 1, true), 'of an unknown machine the user is told %s', said)
  set(client, 'lab')
  measured(function() vim.cmd('SpellMeasure package') end)
  there()
end

local ok, message = xpcall(function()
  local client = start()
  command()
  setting(client)
  client.stop()
  await('the end of the server', 300000, function() return vim.lsp.client_is_stopped(client.id) end)
end, debug.traceback)
if not ok then
  io.stderr:write('machine.lua: ' .. tostring(message) .. '\n')
  vim.cmd('cq!')
end
vim.cmd('qa!')
