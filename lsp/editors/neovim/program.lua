-- A user measures a program in Neovim, and a service as a scenario of the
-- settings: by the lens above main, by a code action and by commands. While the
-- service runs, the command line has what costs most.
--
-- The environment is that of measure.lua.

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

local gate = [[
package main

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	if len(os.Args) == 1 {
		fmt.Println(count(2000))
		return
	}
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, syscall.SIGTERM)
	fmt.Println("the gate is open")
	for len(stopped) == 0 {
		count(200)
	}
}

func count(rounds int) (n int) {
	for range rounds {
		n += len(plates(rounds))
	}
	return n
}

func plates(n int) []string {
	return strings.Split(strings.Repeat("AB-123-CD ", n), " ")
}
]]

local function start()
  vim.fn.mkdir(dir .. '/cmd/gate', 'p')
  vim.fn.writefile(vim.split(gate, '\n'), dir .. '/cmd/gate/main.go')
  vim.g.spell_lsp_cmd = vim.split(os.getenv('SPELL_SERVER'), ' ')
  vim.g.spell_lsp_settings = {
    rounds = 2, warmup = 0,
    scenarios = { serve = { exec = './cmd/gate -serve', ready = 'open$', ['for'] = '4s' } },
  }
  vim.cmd('source spell-lsp.lua')
  vim.cmd('edit ' .. vim.fn.fnameescape(dir .. '/cmd/gate/main.go'))
  return await('initialize', patience, function() return vim.lsp.get_active_clients()[1] end)
end

-- titles lists the lenses of the buffer.
local function titles()
  local list = {}
  for _, lens in ipairs(vim.lsp.codelens.get(0)) do
    table.insert(list, lens.command and lens.command.title or '')
  end
  return list
end

-- measured runs something that measures, and returns what the user is told and saw meanwhile.
local function measured(begin)
  local told, doing = {}, {}
  local notify, echo = vim.notify, vim.api.nvim_echo
  vim.notify = function(text) table.insert(told, text) end
  vim.api.nvim_echo = function(chunks) table.insert(doing, chunks[1][1]) end
  begin()
  await('the measurement', 300000, function() return #told > 0 end)
  vim.notify, vim.api.nvim_echo = notify, echo
  check(told[1]:match('^spell%-lsp: .* %% of the '), 'the user is told %s', told[1])
  return table.concat(doing, '\n')
end

-- hover returns the text of the hover on plates.
local function hover()
  local params = { textDocument = { uri = vim.uri_from_bufnr(0) }, position = { line = vim.fn.search('func plates', 'n') - 1, character = 6 } }
  local answers = vim.lsp.buf_request_sync(0, 'textDocument/hover', params, 300000)
  local _, answer = next(answers)
  return answer and answer.result and answer.result.contents.value or ''
end

local function lens()
  local found = await('the lenses of main', 300000, function()
    vim.lsp.codelens.refresh()
    local list = titles()
    return #list >= 2 and list
  end)
  check(vim.deep_equal(found, { 'measure energy', 'measure energy: serve' }), 'the lenses are %s', vim.inspect(found))
  vim.fn.search('func main', 'w')
  local select = vim.ui.select
  vim.ui.select = function(items, _, chosen) chosen(items[1], 1) end -- Neovim asks which lens of the line
  measured(vim.lsp.codelens.run)
  vim.ui.select = select
  check(hover():find('cmd/gate.main', 1, true), 'the hover is %s', hover())
  await('the lens of a measured function', 300000, function()
    vim.lsp.codelens.refresh()
    return table.concat(titles(), '\n'):find('#%d+ · psi ')
  end)
  check(vim.tbl_contains(titles(), 'measure energy'), 'afterwards the lenses are %s', vim.inspect(titles()))
end

local function scenario()
  local select, asked = vim.ui.select, nil
  vim.ui.select = function(items, _, chosen)
    asked = items
    chosen(items[1])
  end
  local doing = measured(function() vim.cmd('SpellScenario') end)
  vim.ui.select = select
  check(vim.deep_equal(asked, { 'serve', 'all' }), 'the user chooses among %s', vim.inspect(asked))
  check(doing:match('round %d of 2[^\n]*: gate%.%w+ [%d.]+ %%'), 'while the service runs the user sees %s', doing)
  check(hover():find('cmd/gate.serve', 1, true), 'the hover is %s', hover())
end

local ok, message = xpcall(function()
  local client = start()
  lens()
  scenario()
  measured(function() vim.cmd('SpellMeasure program') end)
  client.stop()
  await('the end of the server', 300000, function() return vim.lsp.client_is_stopped(client.id) end)
end, debug.traceback)
vim.fn.delete(dir .. '/cmd', 'rf')
if not ok then
  io.stderr:write('program.lua: ' .. tostring(message) .. '\n')
  vim.cmd('cq!')
end
vim.cmd('qa!')
