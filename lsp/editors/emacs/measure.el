;;; measure.el --- A user measures the example in Emacs  -*- lexical-binding: t -*-

;; The common part of the sessions with eglot and with lsp-mode.  The user
;; opens two files, measures, looks at diagnostics, a hover and the ranking,
;; edits, undoes it, cancels a measurement and quits.
;;
;; SPELL_SERVER is the server's command, SPELL_DIR the copy of the example,
;; SPELL_PATIENCE how many seconds the server may take to start.

;;; Code:

(require 'cl-lib)
(require 'flymake)

(defconst measure-dir (file-name-as-directory (file-truename (getenv "SPELL_DIR"))))
(defconst measure-patience (string-to-number (getenv "SPELL_PATIENCE")))

;; Emacs has no mode for Go without a package; this one has the package's name.
(define-derived-mode go-mode prog-mode "Go")
(add-to-list 'auto-mode-alist '("\\.go\\'" . go-mode))

(defun measure-check (ok format &rest arguments)
  "Fail with FORMAT and ARGUMENTS unless OK."
  (unless ok
    (error "%s" (apply #'format format arguments))))

(defun measure-rest ()
  "Let time pass as it does for a user who types nothing.
Without one to wait for, Emacs never comes to timers of idle time."
  (accept-process-output nil 0.02)
  (dolist (timer (copy-sequence timer-idle-list))
    (timer-event-handler timer)))

(defmacro measure-await (what seconds condition)
  "Wait until CONDITION gives something, and return it.
Fail after SECONDS, saying WHAT was waited for."
  (declare (indent 2))
  `(let ((deadline (time-add nil ,seconds)) (found nil))
     (while (not (or (setq found ,condition) (time-less-p deadline nil)))
       (measure-rest))
     (measure-check found "waited %s s for %s" ,seconds ,what)
     found))

(defmacro measure-not (what seconds condition)
  "Wait for WHAT, for CONDITION, SECONDS, as with `measure-await'.
Nil if it came; else a text that says so, with the diagnostics of the buffer."
  (declare (indent 2))
  `(condition-case err
       (progn (measure-await ,what ,seconds ,condition) nil)
     (error (format "%s; there are %s" (error-message-string err)
                    (mapcar #'flymake-diagnostic-text (flymake-diagnostics))))))

(defvar measure-said nil "What the user was told, the last first.")
(advice-add 'message :before
            (lambda (&optional format &rest arguments)
              (when format (push (apply #'format-message format arguments) measure-said))))

(defun measure-told (regexp)
  "What the user was told that matches REGEXP; it is forgotten."
  (let ((found (cl-find-if (lambda (text) (string-match-p regexp text)) measure-said)))
    (when found (setq measure-said nil))
    found))

(defun measure-open (name)
  "Open the file NAME of the example, and return its buffer."
  (find-file (expand-file-name name measure-dir))
  (current-buffer))

(defun measure-look (buffer)
  "Show BUFFER, as when the user goes there."
  (switch-to-buffer buffer)
  (run-hooks 'window-configuration-change-hook)) ; that it changed is not noticed without a screen

(defun measure-go (text)
  "Put point on TEXT."
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0)))

(defun measure-diagnostic (declaration)
  "The diagnostic that a user sees on the line of DECLARATION."
  (save-excursion
    (measure-go declaration)
    (car (flymake-diagnostics (line-beginning-position) (line-end-position)))))

(defun measure-severity (diagnostic)
  "How severe DIAGNOSTIC looks: :error, :warning or :note."
  (flymake--lookup-type-property (flymake-diagnostic-type diagnostic) 'flymake-category
                                 (flymake-diagnostic-type diagnostic)))

(defun measure-like (diagnostic category regexp)
  "Whether DIAGNOSTIC looks like CATEGORY and its text matches REGEXP."
  (and diagnostic
       (eq (measure-severity diagnostic) category)
       (string-match-p regexp (flymake-diagnostic-text diagnostic))))

;;; What the user does

(defun measure-example (order park)
  "Measure the example, whose files are in the buffers ORDER and PARK.
On a machine that is busy with other things Sort may not stand out, nor every
severity be there: then measure again."
  (let ((tries 0) (wrong t))
    (while (and wrong (<= (cl-incf tries) 5))
      (measure-once)
      (when (setq wrong (measure-wrong order park))
        (princ (format "measured %d times: %s\n" tries wrong) #'external-debugging-output)))
    (measure-check (not wrong) "%s" wrong)))

(defun measure-once ()
  "Measure the workspace, and look at what is told."
  (call-interactively #'spell-lsp-measure-workspace)
  (let ((told (measure-await "the measurement" 300 (measure-told "that all functions use\\|spell-lsp: [^m]"))))
    (measure-check (string-match "spell-lsp: .* [0-9.]+ % of the [0-9.]+ m?J that all functions use in a round (" told)
                   "the user is told %s" told)))

(defun measure-wrong (order park)
  "What is not as it should be in the buffers ORDER and PARK, nil if nothing is."
  (measure-look order)
  (or (measure-not "the diagnostic on Sort" 10
        (measure-like (measure-diagnostic ") Sort(") 'flymake-error "#[0-9]+ psi [<0-9.]+, [^:]+: "))
      (let ((severities (mapcar #'measure-severity (flymake-diagnostics))))
        (measure-look park)
        (or (measure-not "the diagnostic on Add" 10 (measure-diagnostic ") Add("))
            (progn
              (setq severities (append severities (mapcar #'measure-severity (flymake-diagnostics))))
              (cl-loop for category in '(flymake-error flymake-warning flymake-note)
                       unless (memq category severities) return (format "no %s among %s" category severities)))))))

(defun measure-ranking ()
  "Look at the ranking, and go from its first line to the function."
  (call-interactively #'spell-lsp-ranking)
  (let ((table (measure-await "the ranking" 300 (get-buffer "*spell-lsp ranking*"))))
    (with-current-buffer table
      (let ((first (buffer-substring-no-properties (line-beginning-position) (line-end-position))))
        (measure-check (string-match-p "^ *1 +red +0\\.[0-9]+ +[0-9]+ +example.com/parking\\." first)
                       "the first of the ranking is %s" first)
        (search-forward ".(*Park).Sort ")
        (call-interactively #'spell-lsp-visit))))
  (measure-check (looking-at-p "func (p \\*Park) Sort()") "the ranking leads to %s"
                 (buffer-substring (line-beginning-position) (line-end-position))))

(defun measure-choose (title command)
  "Call COMMAND, and choose from its menu what begins with TITLE."
  (cl-letf (((symbol-function 'completing-read)
             (lambda (_prompt collection &rest _)
               (let ((offered (all-completions "" collection)))
                 (or (cl-find-if (lambda (o) (string-prefix-p title o)) offered)
                     (error "No %s among %s" title offered)))))
            (last-nonmenu-event ?\r)) ; not the mouse
    (call-interactively command)))

(defun measure-actions (command)
  "Choose from the code actions of Sort, as COMMAND offers them."
  (measure-go "for j :=")
  (when (get-buffer "*spell-lsp ranking*")
    (kill-buffer "*spell-lsp ranking*"))
  (measure-choose "Show energy ranking" command)
  (measure-await "the ranking" 300 (get-buffer "*spell-lsp ranking*"))
  (measure-choose "Set as baseline" command)
  (measure-await "the baseline" 300 (measure-told "later measurements are compared with this one")))

(defun measure-edit ()
  "Edit Sort in the current buffer, and undo it.
Its result turns stale and fresh again; the others move."
  (buffer-enable-undo)
  (let ((before (flymake-diagnostic-text (measure-diagnostic ") Oldest("))))
    (measure-go ") Sort(")
    (forward-line)
    (undo-boundary)
    (insert "\tprintln(\"🚗\")\n\n")
    (undo-boundary)
    (measure-await "a stale result" 300
      (measure-like (measure-diagnostic ") Sort(") 'flymake-note "measured before this edit"))
    (measure-await "the other result at its place" 300
      (let ((d (measure-diagnostic ") Oldest(")))
        (and d (equal before (flymake-diagnostic-text d)))))
    (let ((last-command nil))
      (undo-only))
    (measure-check (not (save-excursion (goto-char (point-min)) (search-forward "🚗" nil t))) "it was not undone")
    (measure-await "the fresh result again" 300
      (measure-like (measure-diagnostic ") Sort(") 'flymake-error "psi"))))

(defun measure-children (pid)
  "The processes that the process PID started and that are there still."
  (cl-remove-if-not (lambda (child) (equal pid (alist-get 'ppid (process-attributes child))))
                    (list-system-processes)))

(defun measure-cancel (server)
  "Begin to measure and cancel it.  SERVER is the process of the server."
  (let ((pid (process-id server)))
    (call-interactively #'spell-lsp-measure-package)
    (measure-await "a process of the measurement" 300 (measure-children pid))
    (setq measure-said nil)
    (call-interactively #'spell-lsp-cancel)
    (measure-await "the answer to cancel" 300
      (cl-find "spell-lsp: cancelled" measure-said :test #'equal))
    (measure-await "the end of what was cancelled" 300 (not (measure-children pid)))
    (measure-check (not (measure-told "that all functions use")) "it was measured all the same")))

(defmacro measure-session (&rest body)
  "Run BODY and leave Emacs, with status 1 if anything in it fails."
  `(condition-case err
       (let ((debug-on-error nil))
         ,@body
         (set-buffer-modified-p nil)
         (kill-emacs 0))
     ((error quit) (princ (format "failed: %s\n" (error-message-string err)) #'external-debugging-output)
            (kill-emacs 1))))

(provide 'measure)
;;; measure.el ends here
