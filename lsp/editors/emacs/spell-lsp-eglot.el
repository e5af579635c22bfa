;;; spell-lsp-eglot.el --- spell-lsp in eglot  -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "27.1") (eglot "1.9"))
;; Keywords: languages, tools

;;; Commentary:

;; Eglot has one server for each buffer.  So M-x spell-lsp-eglot replaces gopls by
;; spell-lsp; M-x eglot brings gopls back and removes the results from the editor.
;; A program like rassumfrassum makes one server of both; its version 0.3.4 passes
;; on only commands that a code action has named before:
;;
;;   (setq spell-lsp-command '("rass" "--" "gopls" "--" "spell-lsp"))
;;
;; Eglot shows no code lenses: M-x eglot-code-actions has the same actions.
;;
;;   (add-to-list 'load-path "/where/these/files/are")
;;   (require 'spell-lsp-eglot)

;;; Code:

(require 'eglot)
(require 'spell-lsp)

(defclass spell-lsp-eglot-server (eglot-lsp-server) ()
  :documentation "A server that measures, which takes longer than eglot waits.")

;;;###autoload
(defun spell-lsp-eglot ()
  "Let spell-lsp manage the Go buffers of this project, in place of another server."
  (interactive)
  (let ((server (eglot-current-server))
        (eglot-server-programs
         (cons `((go-mode go-ts-mode) . (spell-lsp-eglot-server ,@spell-lsp-command))
               eglot-server-programs)))
    (when server
      (eglot-shutdown server))
    (call-interactively #'eglot)))

(defun spell-lsp-eglot--client ()
  "Find the server of the current buffer for `spell-lsp-client-functions'."
  (let ((server (eglot-current-server)))
    (when (cl-typep server 'spell-lsp-eglot-server)
      (apply-partially #'spell-lsp-eglot--send server))))

(defun spell-lsp-eglot--send (server command argument done failed)
  "Have SERVER execute COMMAND with ARGUMENT, and call DONE or FAILED."
  (jsonrpc-async-request
   server :workspace/executeCommand (list :command command :arguments (vector argument))
   :timeout nil
   :success-fn done
   :error-fn (lambda (err) (funcall failed (plist-get err :message)))))

(add-hook 'spell-lsp-client-functions #'spell-lsp-eglot--client)

;; Eglot waits for the command of a code action, and gives up before a measurement
;; is done.

(with-suppressed-warnings ((obsolete eglot-execute-command))
  (cl-defmethod eglot-execute-command ((_server spell-lsp-eglot-server) command arguments)
    "Execute COMMAND with ARGUMENTS; do not wait for it if it is spell-lsp's."
    (if (member (format "%s" command) spell-lsp-server-commands)
        (spell-lsp-execute (format "%s" command) (elt arguments 0))
      (cl-call-next-method))))

;; From eglot 1.16 on.
(cl-defmethod eglot-execute ((_server spell-lsp-eglot-server) action)
  "Execute ACTION; do not wait for it if it is a command of spell-lsp."
  (let ((command (plist-get action :command)))
    (if (member command spell-lsp-server-commands)
        (spell-lsp-execute command (elt (plist-get action :arguments) 0))
      (cl-call-next-method))))

(provide 'spell-lsp-eglot)
;;; spell-lsp-eglot.el ends here
