-- A user of Neovim sees how a function grows, in its lens and its hover, and how it stands among
-- alternatives, from saved runs.
--
-- The environment is that of measure.lua.

local dir = assert(os.getenv('SPELL_DIR'))
local saved = '../../../vscode-client/e2e/parking.json'
local patience = 1000 * tonumber(os.getenv('SPELL_PATIENCE') or '30')

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

local function request(method, params)
  params.textDocument = { uri = vim.uri_from_bufnr(0) }
  local _, answer = next(vim.lsp.buf_request_sync(0, method, params, 300000))
  return answer and answer.result
end

-- titles are those of all lenses, joined.
local function titles()
  local all = {}
  for _, lens in ipairs(request('textDocument/codeLens', {}) or {}) do
    table.insert(all, lens.command and lens.command.title or '')
  end
  return table.concat(all, '\n')
end

local ok, message = xpcall(function()
  vim.g.spell_lsp_cmd = vim.split(os.getenv('SPELL_SERVER'), ' ')
  vim.cmd('source spell-lsp.lua')
  vim.cmd('edit ' .. vim.fn.fnameescape(dir .. '/park.go'))
  local client = await('initialize', patience, function() return vim.lsp.get_active_clients()[1] end)
  vim.cmd('SpellLoad ' .. saved)
  await('the lens of the growth', 300000, function()
    return titles():find('grows as n log n with len(p.cars)', 1, true)
  end)
  local line = vim.fn.search(') Add(', 'nw')
  local hover = request('textDocument/hover', { position = { line = line - 1, character = vim.fn.getline(line):find('Add') - 1 } })
  local text = hover.contents.value:gsub('\\', '')
  check(text:find('Grows as n log n with len(p.cars), 1 to 1,579', 1, true), 'the hover is %s', text)
  check(text:find('Extrapolated: ', 1, true), 'the hover is %s', text)
  vim.cmd('SpellLoad alternatives.json')
  await('the lenses of the alternatives', 300000, function()
    local all = titles()
    return all:find('3.00 times the time of Park.Find at n=64', 1, true) and all:find('best of 2', 1, true)
  end)
  client.stop()
  await('the end of the server', 300000, function() return vim.lsp.client_is_stopped(client.id) end)
end, debug.traceback)
if not ok then
  io.stderr:write('growth.lua: ' .. tostring(message) .. '\n')
  vim.cmd('cq!')
end
vim.cmd('qa!')
