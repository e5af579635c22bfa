" A user of vim-lsp gives each command in a file whose name a URI must escape.
" The session checks the messages to the server, and what Vim shows of the answers.

set runtimepath^=testdata
let g:lsp_loaded = 1
let g:spell_lsp_cmd = ['somewhere/spell-lsp', '--log', 'x']
source spell-lsp.vim
doautocmd User lsp_setup

" Last returns the command and the argument that were sent last.
function! s:last() abort
  call assert_equal('workspace/executeCommand', g:sent[-1].method)
  return [g:sent[-1].params.command] + g:sent[-1].params.arguments
endfunction

function! s:answer(result) abort
  call g:sent[-1].on_notification({'response': {'result': a:result}})
endfunction

call assert_equal('spell-lsp', g:server.name)
call assert_equal(['somewhere/spell-lsp', '--log', 'x'], g:server.cmd({}))

let s:dir = tempname()
call mkdir(s:dir)
let s:file = s:dir . '/a é%.go'
let s:uri = 'file://' . s:dir . '/a%20%C3%A9%25.go'
execute 'edit' fnameescape(s:file)
call setline(1, ['package a', 'func F[T any](t T) {', '}', 'func (l *List[K, V]) Len() int {', "\treturn 0", '}', 'func (Value) String() string { return "" }', 'func TestÄ(t *testing.T) {', '}'])
write

SpellMeasure
call assert_equal(['spell-lsp.measure', {'scope': 'workspace', 'uri': s:uri}], s:last())
SpellMeasure package
call assert_equal(['spell-lsp.measure', {'scope': 'package', 'uri': s:uri}], s:last())
for [s:line, s:name] in [[2, 'F'], [3, 'F'], [5, '(*List).Len'], [7, 'Value.String']]
  call cursor(s:line, 1)
  SpellMeasure function
  call assert_equal(['spell-lsp.measure', {'scope': 'function', 'uri': s:uri, 'name': s:name}], s:last())
endfor
call cursor(9, 1)
SpellMeasure test
call assert_equal(['spell-lsp.measure', {'scope': 'test', 'uri': s:uri, 'name': 'TestÄ'}], s:last())

let s:count = len(g:sent)
for [s:line, s:scope] in [[1, 'function'], [5, 'test']]
  call cursor(s:line, 1)
  silent execute 'SpellMeasure' s:scope
endfor
call assert_equal(s:count, len(g:sent), 'something is measured where nothing is')

for [s:command, s:id] in [['SpellCancel', 'cancel'], ['SpellClear', 'clear'], ['SpellSetBaseline', 'setBaseline'], ['SpellCompare', 'compare'], ['SpellDoctor', 'doctor']]
  execute s:command
  call assert_equal(['spell-lsp.' . s:id, {}], s:last())
endfor
SpellReport csv
call assert_equal(['spell-lsp.report', {'format': 'csv'}], s:last())
SpellLoad run.json
call assert_equal(['spell-lsp.load', {'path': getcwd() . '/run.json'}], s:last())

" An entry of the ranking opens the function, and so does the ranking that a lens opens.
call g:handlers['spell-lsp.ranking']({'command': {'command': 'spell-lsp.ranking', 'arguments': [{'uri': s:uri}]}})
call assert_equal(['spell-lsp.ranking', {'uri': s:uri}], s:last())
call s:answer([{'rank': 1, 'zone': 'red', 'psi': 0.5, 'id': 'a.(*List).Len', 'uri': s:uri, 'line': 4, 'column': 6, 'text': '1.00 J, 2 calls', 'stale': v:true}])
call assert_equal('#1 red a.(*List).Len: 1.00 J, 2 calls (edited since)', getqflist()[0].text)
cfirst
call assert_equal([s:file, 4, 6], [expand('%:p'), line('.'), col('.')])

SpellCompare
call s:answer({'page': "less energy\nthan before"})
call assert_equal(['less energy', 'than before'], getline(1, '$'))

call delete(s:dir, 'rf')
if !empty(v:errors)
  call writefile(['session.vim:'] + v:errors, '/dev/stderr', 'a')
  cquit
endif
qall!
