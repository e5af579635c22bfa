;;; measure-eglot.el --- A user measures the example with eglot  -*- lexical-binding: t -*-

;; See measure.el.  Eglot shows no lenses.

;;; Code:

(require 'measure)
(require 'spell-lsp-eglot)

(defun measure-eglot-start ()
  "Let spell-lsp manage the current buffer, and return its process."
  (setq spell-lsp-command (split-string (getenv "SPELL_SERVER"))
        eglot-connect-timeout measure-patience
        eglot-sync-connect t)
  (setq-default eglot-workspace-configuration '(:spell (:rounds 3)))
  (call-interactively #'spell-lsp-eglot)
  (measure-await "the server" measure-patience (eglot-current-server))
  (jsonrpc--process (eglot-current-server)))

(defun measure-eglot-text (buffer)
  "The documentation that BUFFER shows, if it is for that."
  (with-current-buffer buffer
    (and (string-prefix-p "*eldoc" (buffer-name)) (> (buffer-size) 0) (buffer-string))))

(defun measure-eglot-hover ()
  "Ask for the documentation of Sort, as with M-x eldoc."
  (measure-go "Sort(")
  (call-interactively #'eldoc)
  (let ((text (measure-await "the hover" 10
                (cl-some #'measure-eglot-text (buffer-list)))))
    (dolist (want '("(*Park).Sort" "psi" "self" "calls" "Meter" "measured 20"))
      (measure-check (string-match-p (regexp-quote want) text) "the hover has no %s:\n%s" want text))))

(measure-session
 (let ((park (measure-open "park.go")) (order (measure-open "order.go")) (server (measure-eglot-start)))
   (measure-check (eq server (with-current-buffer park (jsonrpc--process (eglot-current-server))))
                  "two servers for two files of a module")
   (measure-example order park)
   (measure-look order)
   (measure-eglot-hover)
   (measure-ranking)
   (measure-look order)
   (measure-actions #'eglot-code-actions)
   (measure-look order)
   (measure-edit)
   (measure-cancel server)
   (eglot-shutdown (eglot-current-server))
   (measure-await "the end of the server" 10 (not (process-live-p server)))))

;;; measure-eglot.el ends here
