" What spell-lsp.vim uses of vim-lsp: it notes what it is asked for.

let g:sent = []
let g:handlers = {}

function! lsp#register_server(server) abort
  let g:server = a:server
endfunction

function! lsp#register_command(name, handler) abort
  let g:handlers[a:name] = a:handler
endfunction

function! lsp#send_request(server, request) abort
  call add(g:sent, a:request)
endfunction
