-- A user measures the example in Neovim, with nothing but what Neovim brings
-- and the configuration next to this file: opens two files, measures, looks at
-- diagnostics, lenses, a hover and the ranking, edits, cancels a measurement,
-- quits.
--
-- SPELL_SERVER is the server's command, SPELL_DIR the copy of the example,
-- SPELL_PATIENCE how many seconds the server may take to start.

local dir = assert(os.getenv('SPELL_DIR'))
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

local function open(name)
  vim.cmd('edit ' .. vim.fn.fnameescape(dir .. '/' .. name))
  return vim.api.nvim_get_current_buf()
end

-- place finds the first occurrence of a text in a buffer, from 0.
local function place(buffer, text)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local column = line:find(text, 1, true)
    if column then
      return number - 1, column - 1
    end
  end
  error('no ' .. text)
end

-- execute starts a command of the server and returns where its answer will be.
local function execute(client, command, argument)
  local call = {}
  local _, id = client.request('workspace/executeCommand', { command = command, arguments = { argument } },
    function(err, result)
      call.error, call.result, call.done = err, result, true
    end)
  call.id = id
  return call
end

-- ranked lists the diagnostics of functions, without those that say what to change.
local function ranked(buffer)
  return vim.tbl_filter(function(d) return d.code ~= 'energy-advice' end, vim.diagnostic.get(buffer))
end

-- diagnostic returns the diagnostic on the line of a function's declaration.
local function diagnostic(buffer, declaration)
  return vim.diagnostic.get(buffer, { lnum = place(buffer, declaration) })[1]
end

-- The form for vim.lsp.config must start the same server in the same folder:
-- with both, Neovim then has one.
local function agree()
  local form = dofile('lsp/spell_lsp.lua')
  check(vim.deep_equal({ form.cmd, form.filetypes, form.root_markers }, { { 'spell-lsp' }, { 'go' }, { 'go.mod' } }),
    'the form for vim.lsp.config is %s', vim.inspect(form))
end

-- start opens the files, which by the configuration starts the server.
local function start(progress)
  local handler = vim.lsp.handlers['$/progress']
  vim.lsp.handlers['$/progress'] = function(err, result, ...)
    table.insert(progress, result.value)
    return handler(err, result, ...)
  end
  vim.g.spell_lsp_cmd = vim.split(os.getenv('SPELL_SERVER'), ' ')
  vim.g.spell_lsp_settings = { rounds = 3, inlayHints = true }
  vim.cmd('source spell-lsp.lua')
  local park, order = open('park.go'), open('order.go')
  await('initialize', patience, function() return vim.lsp.get_active_clients()[1] end)
  local clients = vim.lsp.get_active_clients()
  check(#clients == 1, '%d servers for two files of a module', #clients)
  return clients[1], park, order
end

-- once measures the example and checks the answer and the progress.
local function once()
  local said, doing = {}, {}
  local notify, echo = vim.notify, vim.api.nvim_echo
  vim.notify = function(text) table.insert(said, text) end
  vim.api.nvim_echo = function(chunks) table.insert(doing, chunks[1][1]) end
  vim.cmd('SpellMeasure')
  await('the measurement', 300000, function() return #said > 0 end)
  vim.notify, vim.api.nvim_echo = notify, echo
  check(table.concat(doing, '\n'):find('spell-lsp: round 2 of 3', 1, true), 'meanwhile the user sees %s', vim.inspect(doing))
  check(said[1]:match('^spell%-lsp: .* [%d.]+ %% of the [%d.]+ m?J that all functions use in a round %('), 'the user is told %s', said[1])
end

-- standsOut waits for diagnostics of three severities, of which Sort's is an error, and returns
-- whether they came.
local function standsOut(order, park)
  local S = vim.diagnostic.severity
  return vim.wait(10000, function() -- newer versions fetch them themselves
    local seen, sort = {}, diagnostic(order, ') Sort(')
    for _, d in ipairs(vim.list_extend(ranked(order), ranked(park))) do
      seen[d.severity] = true
      check(d.source == 'spell', 'source %s', d.source)
      check(d.message:match('^#%d+ psi [<%d.]+, [^:]+: '), 'the message %s', d.message)
    end
    return seen[S.ERROR] and seen[S.WARN] and seen[S.HINT] and sort and sort.severity == S.ERROR
  end, 20)
end

-- The whole example is ranked, with three severities. On a busy machine Sort may not be red: then
-- the example is measured again.
local function measure(order, park)
  local tries = 0
  repeat
    once()
    tries = tries + 1
    local well = standsOut(order, park)
    if not well then
      local seen = vim.inspect(vim.list_extend(vim.diagnostic.get(order), vim.diagnostic.get(park)))
      io.stderr:write(string.format('measured %d times, Sort does not stand out: %s\n', tries, seen))
      check(tries < 5, 'Sort does not stand out')
    end
  until well
end

-- The configuration refreshes lenses after a measurement.
local function lenses(order)
  local found = await('code lenses', 300000, function()
    local list = vim.lsp.codelens.get(order)
    return #list > 0 and list
  end)
  for _, lens in ipairs(found) do
    check(lens.command.title:match('psi [<%d.]+'), 'the lens %s', lens.command.title)
  end
end

-- hover presses the key that users press, and reads the window that opens.
local function hover(order)
  local line, column = place(order, 'Sort(')
  vim.api.nvim_win_set_cursor(0, { line + 1, column })
  vim.lsp.buf.hover()
  local text = await('the hover', 300000, function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
      end
    end
  end)
  for _, want in ipairs({ '(*Park).Sort', 'psi', 'self', 'calls', 'of the bytes', 'Meter', 'measured 20' }) do
    check(text:find(want, 1, true), 'the hover has no %q:\n%s', want, text)
  end
end

local function ranking(ask)
  vim.fn.setqflist({})
  ask()
  local first = await('the quickfix list', 300000, function() return vim.fn.getqflist()[1] end)
  check(first.text:match('^#1 red example.com/parking%.%(%*Park%)%.Sort: [%d.]+ %% of the energy, '), 'the first of the ranking is %s', first.text)
  local line = vim.fn.readfile(vim.fn.bufname(first.bufnr))[first.lnum]
  check(vim.startswith(line:sub(first.col), 'Sort('), 'the first of the ranking is at column %d of %s', first.col, line)
  vim.cmd('cclose')
end

-- opened returns the text of the window that a command opens.
local function opened(command)
  local before = vim.api.nvim_get_current_win()
  vim.cmd(command)
  await(command, 300000, function() return vim.api.nvim_get_current_win() ~= before end)
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  vim.cmd('close')
  return text
end

-- Results that are a text or a file are shown in a window.
local function pages()
  local text = opened('SpellDoctor')
  check(text:find('model', 1, true), 'the doctor says %s', text)
  text = opened('SpellReport')
  check(text:find('%(%*Park%)%.Sort%s+holds%s') and text:find('psi', 1, true), 'the report says %s', text)
end

-- action chooses one of the code actions at the cursor, as from a menu.
local function action(title)
  local select, offered = vim.ui.select, nil
  vim.ui.select = function(items, options, choose)
    offered = {}
    for _, item in ipairs(items) do
      table.insert(offered, (options.format_item(item))) -- it may return more
      if offered[#offered]:find(title, 1, true) then
        choose(item)
      end
    end
  end
  vim.lsp.buf.code_action()
  await('code actions', 300000, function() return offered end)
  vim.ui.select = select
  local list = table.concat(offered, ', ')
  check(list:find(title, 1, true), 'no %s among the code actions %s', title, list)
end

-- Code actions do everything that lenses do, and more.
local function actions(order)
  vim.api.nvim_win_set_cursor(0, { place(order, 'for j :=') + 1, 0 })
  ranking(function() action('Show energy ranking') end)
  local said, notify = nil, vim.notify
  vim.notify = function(text) said = text end
  action('Set as baseline')
  await('the baseline', 300000, function() return said end)
  vim.notify = notify
  check(said:find('later measurements are compared', 1, true), 'the user is told %s', said)
end

-- hints checks the inlay hints, which Neovim has from 0.10 on.
local function hints(order)
  if not vim.lsp.inlay_hint then
    return
  end
  vim.lsp.inlay_hint.enable(true, { bufnr = order })
  await('an inlay hint on Sort', 300000, function()
    for _, at in ipairs(vim.lsp.inlay_hint.get({ bufnr = order })) do
      local hint = at.inlay_hint
      if hint.position.line == place(order, ') Sort(') and vim.inspect(hint.label):find('psi [<%d.]+') then
        return true
      end
    end
  end)
end

-- An edit of one function makes its result stale, moves the others, and is
-- undone.
local function edit(order)
  local line = place(order, ') Sort(')
  local before = diagnostic(order, ') Oldest(').message
  vim.api.nvim_buf_set_lines(order, line + 1, line + 1, false, { '\tprintln("🚗")', '' })
  await('a stale result', 300000, function()
    local d = diagnostic(order, ') Sort(')
    return d and d.message:find('measured before this edit', 1, true) and d.severity == vim.diagnostic.severity.HINT
  end)
  await('the other result at its place', 300000, function()
    local d = diagnostic(order, ') Oldest(')
    return d and d.message == before
  end)
  vim.cmd('undo')
  await('the fresh result again', 300000, function()
    local d = diagnostic(order, ') Sort(')
    return d and d.severity == vim.diagnostic.severity.ERROR
  end)
end

-- write fills a new buffer of the folder, and does not save it.
local function write(name, text)
  local buffer = open(name)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, '\n'))
  return buffer
end

-- What to change is offered as an action; what it did is told, and the new code stays unsaved.
local function change()
  write('plate_test.go', [[
package parking

import (
	"strings"
	"testing"
)

func TestPlates(t *testing.T) {
	list := strings.Repeat("AB-123-CD ", 10)
	for range 20000 {
		if n := Plates(list); n != 10 {
			t.Fatalf("found %d", n)
		}
	}
}
]])
  local plate = write('plate.go', [[
package parking

import "regexp"

func Plates(text string) int {
	return len(regexp.MustCompile(`[A-Z]{2}-[0-9]{3}-[A-Z]{2}`).FindAllString(text, -1))
}
]])
  vim.api.nvim_win_set_cursor(0, { place(plate, 'regexp.MustCompile') + 1, 10 })
  vim.cmd('SpellMeasure package')
  local advice = await('advice', 300000, function()
    for _, d in ipairs(vim.diagnostic.get(plate)) do
      if d.code == 'energy-advice' then
        return d
      end
    end
  end)
  check(advice.message:match('^A change here saves at most an estimated [%d.]+ m?J of .*compile it once'), 'the advice is %s', advice.message)
  local told, show = {}, vim.lsp.handlers['window/showMessage']
  vim.lsp.handlers['window/showMessage'] = function(err, result, ...)
    table.insert(told, result.message)
    return show(err, result, ...)
  end
  action('Apply and measure: compile it once')
  await('the verdict', 300000, function() return table.concat(told, '\n'):find('tests pass', 1, true) end)
  vim.lsp.handlers['window/showMessage'] = show
  local all = table.concat(told, '\n')
  check(all:match('[%d.]+ %% less energy %(estimated%) in Plates, significant; '), 'the user is told %s', all)
  check(place(plate, 'var platesPattern = regexp.MustCompile') and vim.bo[plate].modified, 'the buffer is saved')
end

-- A cancelled measurement ends soon, and another can follow it. Neovim keeps
-- the answer to a cancelled call to itself, so look at the progress, which ends
-- when no process of the measurement is left.
local function cancel(progress, begin, how)
  local begun = #progress
  local call = begin()
  await('progress', 300000, function() return #progress > begun + 1 end)
  check(progress[begun + 1].kind == 'begin', 'the progress begins with %s', vim.inspect(progress[begun + 1]))
  how(call)
  await('the end of a cancelled measurement', 300000, function()
    return progress[#progress].kind == 'end' and progress[#progress].message == 'cancelled'
  end)
  check(not (call and call.done), 'after cancelling: %s', vim.inspect(call))
end

local function quit(client)
  client.stop()
  await('the end of the server', 300000, function() return vim.lsp.client_is_stopped(client.id) end)
end

local ok, message = xpcall(function()
  agree()
  local progress = {}
  local client, park, order = start(progress)
  measure(order, park)
  lenses(order)
  hover(order)
  ranking(function() vim.cmd('SpellRanking') end)
  pages()
  actions(order)
  hints(order)
  edit(order)
  cancel(progress,
    function() return execute(client, 'spell-lsp.measure', { scope = 'workspace', rounds = 30 }) end,
    function(call) client.cancel_request(call.id) end)
  vim.api.nvim_win_set_cursor(0, { place(order, 'for j :=') + 1, 0 })
  cancel(progress, function() vim.cmd('SpellMeasure function') end, function() vim.cmd('SpellCancel') end)
  change()
  quit(client)
end, debug.traceback)
if not ok then
  io.stderr:write('measure.lua: ' .. tostring(message) .. '\n')
  vim.cmd('cq!')
end
vim.cmd('qa!')
