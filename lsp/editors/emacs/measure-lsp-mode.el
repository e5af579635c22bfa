;;; measure-lsp-mode.el --- A user measures the example with lsp-mode  -*- lexical-binding: t -*-

;; See measure.el.

;;; Code:

(require 'measure)
(require 'lsp-mode)
(require 'lsp-lens)
(require 'spell-lsp-lsp-mode)

(defun measure-lsp-start ()
  "Start the servers for the current buffer, and return the process of spell-lsp."
  (setq spell-lsp-command (split-string (getenv "SPELL_SERVER"))
        spell-lsp-settings '(:rounds 3)
        lsp-enabled-clients '(spell-lsp)
        lsp-auto-guess-root t
        lsp-lens-enable t
        lsp-diagnostics-provider :flymake
        lsp-session-file (expand-file-name "lsp-session" temporary-file-directory)
        lsp-log-io nil)
  (lsp-workspace-folders-add measure-dir)
  (lsp)
  (measure-await "the server" measure-patience
    (cl-find-if (lambda (w) (eq 'initialized (lsp--workspace-status w))) (lsp-workspaces)))
  (lsp--workspace-cmd-proc (car (lsp-workspaces))))

(defun measure-lsp-lenses ()
  "The titles of the lenses that the current buffer shows."
  (delq nil (mapcar (lambda (overlay)
                      (and (overlay-get overlay 'lsp-lens)
                           (substring-no-properties (or (overlay-get overlay 'after-string)
                                                        (overlay-get overlay 'before-string) ""))))
                    (overlays-in (point-min) (point-max)))))

(defun measure-lsp-hover ()
  "Ask for the documentation of Sort."
  (measure-go "Sort(")
  (call-interactively #'lsp-describe-thing-at-point)
  (let ((text (with-current-buffer "*lsp-help*" (buffer-string))))
    (dolist (want '("(*Park).Sort" "psi" "self" "calls" "Meter" "measured 20"))
      (measure-check (string-match-p (regexp-quote want) text) "the hover has no %s:\n%s" want text))))

(measure-session
 (let ((order (measure-open "order.go")) (park nil) (server (measure-lsp-start)))
   (setq park (measure-open "park.go"))
   (lsp)
   (measure-check (eq server (lsp--workspace-cmd-proc (car (lsp-workspaces)))) "two servers for two files of a module")
   (measure-example order park)
   (measure-look order)
   (measure-await "a lens on each function of order.go" 10
     (= 2 (cl-count-if (lambda (title) (string-match-p "psi [<0-9.]+" title)) (measure-lsp-lenses))))
   (measure-lsp-hover)
   (measure-ranking)
   (measure-look order)
   (measure-actions #'lsp-execute-code-action)
   (measure-look order)
   (measure-edit)
   (measure-cancel server)
   (lsp-workspace-shutdown (car (lsp-workspaces)))
   (measure-await "the end of the server" 10 (not (process-live-p server)))))

;;; measure-lsp-mode.el ends here
