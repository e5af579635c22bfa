;;; spell-lsp-lsp-mode.el --- spell-lsp in lsp-mode  -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "27.1") (lsp-mode "8.0.0"))
;; Keywords: languages, tools

;;; Commentary:

;; M-x lsp in a Go buffer starts spell-lsp beside gopls.
;;
;;   (add-to-list 'load-path "/where/these/files/are")
;;   (with-eval-after-load 'lsp-mode (require 'spell-lsp-lsp-mode))

;;; Code:

(require 'lsp-mode)
(require 'spell-lsp)

(defcustom spell-lsp-settings nil
  "Settings of the server: the keys of .spell-lsp.yaml, as (:rounds 10)."
  :type 'plist
  :group 'spell-lsp)

(defun spell-lsp-lsp-mode--client ()
  "Find the server of the current buffer for `spell-lsp-client-functions'."
  (let ((workspace (seq-find (lambda (w) (eq 'spell-lsp (lsp--client-server-id (lsp--workspace-client w))))
                             (lsp-workspaces))))
    (and workspace
         (apply-partially #'spell-lsp-lsp-mode--send workspace))))

(defun spell-lsp-lsp-mode--send (workspace command argument done failed)
  "Have the server of WORKSPACE execute COMMAND with ARGUMENT.
Call DONE or FAILED later."
  (with-lsp-workspace workspace
    (lsp-request-async "workspace/executeCommand" (list :command command :arguments (vector argument))
                       (lambda (result)
                         (spell-lsp-lsp-mode--refresh workspace)
                         (funcall done result))
                       :mode 'detached
                       :error-handler (lambda (err) (funcall failed (lsp:json-error-message err))))))

(defun spell-lsp-lsp-mode--refresh (workspace)
  "Show the diagnostics of WORKSPACE in all buffers that it has.
Lsp-mode tells the current buffer only that there are new ones."
  (dolist (buffer (lsp--workspace-buffers workspace))
    (lsp-with-current-buffer buffer
      (run-hooks 'lsp-diagnostics-updated-hook))))

(add-hook 'spell-lsp-client-functions #'spell-lsp-lsp-mode--client)

(defun spell-lsp-lsp-mode--handlers ()
  "Handlers of what lenses and code actions execute.
Lsp-mode itself would wait for it, and give up before a measurement is done."
  (let ((handlers (make-hash-table :test 'equal)))
    (dolist (command spell-lsp-server-commands handlers)
      (puthash command
               (lambda (action) (spell-lsp-execute command (seq-elt (lsp:command-arguments? action) 0)))
               handlers))))

(lsp-register-client
 (make-lsp-client
  :new-connection (lsp-stdio-connection (lambda () spell-lsp-command))
  :major-modes '(go-mode go-ts-mode)
  :language-id "go"
  :server-id 'spell-lsp
  :add-on? t
  :initialization-options (lambda () (and spell-lsp-settings (list :spell spell-lsp-settings)))
  :action-handlers (spell-lsp-lsp-mode--handlers)))

(provide 'spell-lsp-lsp-mode)
;;; spell-lsp-lsp-mode.el ends here
