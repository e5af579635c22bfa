;;; spell-lsp.el --- Which Go functions waste energy  -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages, tools

;;; Commentary:

;; The commands of spell-lsp, a language server that measures the energy of
;; functions.  They work with both of Emacs' clients; see spell-lsp-eglot.el and
;; spell-lsp-lsp-mode.el, which also start the server.

;;; Code:

(require 'seq)
(require 'tabulated-list)
(require 'url-util)

(defgroup spell-lsp nil
  "Energy of Go functions."
  :group 'tools)

(defcustom spell-lsp-command '("spell-lsp")
  "The program that is the server, and its arguments."
  :type '(repeat string))

(defcustom spell-lsp-report-formats '("text" "csv" "json")
  "The formats that `spell-lsp-report' offers."
  :type '(repeat string))

(defconst spell-lsp-server-commands
  (mapcar (lambda (name) (concat "spell-lsp." name))
          '("measure" "cancel" "clear" "setBaseline" "compare" "drillDown" "load" "report" "ranking" "doctor"))
  "What the server can be asked to execute.")

(defvar spell-lsp-client-functions nil
  "Functions that find the server of the current buffer.
Each is called without arguments and returns nil if it knows none,
or a function of COMMAND, ARGUMENT, DONE and FAILED.  That has the
server execute COMMAND, without waiting for it, with the plist or
hash table ARGUMENT; later it calls DONE with the result, whose
objects are plists or hash tables, or FAILED with a text.")

;;; Calls of the server

(defun spell-lsp--uri ()
  "The URI of the current file, or of its folder."
  (concat "file://" (url-hexify-string (expand-file-name (or buffer-file-name default-directory))
                                       url-path-allowed-chars)))

(defun spell-lsp-execute (command &optional argument)
  "Have the server execute COMMAND with ARGUMENT, and show what comes of it."
  (let ((client (run-hook-with-args-until-success 'spell-lsp-client-functions)))
    (unless client
      (user-error "There is no spell-lsp for this buffer"))
    (funcall client command (or argument (make-hash-table :size 1))
             (lambda (result) (spell-lsp--show command result))
             (lambda (text) (message "spell-lsp: %s" text)))))

(defun spell-lsp--get (object key)
  "The value of KEY, a keyword, in OBJECT, a plist or a hash table."
  (if (hash-table-p object)
      (gethash (substring (symbol-name key) 1) object)
    (plist-get object key)))

;;; Functions in the text

(defconst spell-lsp--declaration
  (let ((name "[[:alpha:]_][[:alnum:]_]*") (space "[ \t]*"))
    (concat "^func" space
            "\\(?:(" space "\\(?:" name "[ \t]+\\)?\\(\\*?\\)" space "\\(" name "\\)[^)]*)" space "\\)?"
            "\\(" name "\\)" space "[[(]"))
  "A function's declaration: its receiver's star and type, and its name.")

(defun spell-lsp--function (test)
  "The function or, if TEST is non-nil, the test around point.
Its name is what the server calls it: F, T.M or (*T).M."
  (save-excursion
    (end-of-line)
    (unless (re-search-backward spell-lsp--declaration nil t)
      (user-error "Point is in no function"))
    (let ((star (match-string 1)) (type (match-string 2)) (name (match-string 3)) (case-fold-search nil))
      (when (and test (or type (not (string-match-p "\\`\\(?:Test\\|Benchmark\\|Example\\|Fuzz\\)" name))))
        (user-error "%s is no test" name))
      (cond ((null type) name)
            ((equal star "*") (format "(*%s).%s" type name))
            (t (format "%s.%s" type name))))))

;;; Commands

(defun spell-lsp-measure (scope &optional name)
  "Measure SCOPE: workspace, package, file, function or test.
NAME says which function or test of the current file."
  (interactive (list (completing-read "Measure: " '("workspace" "package" "file") nil t)))
  (message "spell-lsp: measuring %s" (or name scope))
  (spell-lsp-execute "spell-lsp.measure"
                     (append (list :scope scope :uri (spell-lsp--uri))
                             (and name (list :name name)))))

(defun spell-lsp-measure-workspace ()
  "Measure with all tests of the module."
  (interactive)
  (spell-lsp-measure "workspace"))

(defun spell-lsp-measure-package ()
  "Measure with the tests of the package of this file."
  (interactive)
  (spell-lsp-measure "package"))

(defun spell-lsp-measure-function ()
  "Measure the function at point."
  (interactive)
  (spell-lsp-measure "function" (spell-lsp--function nil)))

(defun spell-lsp-measure-test ()
  "Measure with the test or benchmark at point."
  (interactive)
  (spell-lsp-measure "test" (spell-lsp--function t)))

(defun spell-lsp-cancel ()
  "End the measurement."
  (interactive)
  (spell-lsp-execute "spell-lsp.cancel"))

(defun spell-lsp-clear ()
  "Forget what was measured."
  (interactive)
  (spell-lsp-execute "spell-lsp.clear"))

(defun spell-lsp-ranking ()
  "Show the functions that were measured, the costliest first."
  (interactive)
  (spell-lsp-execute "spell-lsp.ranking" (list :uri (spell-lsp--uri))))

(defun spell-lsp-set-baseline ()
  "Compare later measurements with the last one."
  (interactive)
  (spell-lsp-execute "spell-lsp.setBaseline"))

(defun spell-lsp-compare ()
  "Show what changed since the baseline."
  (interactive)
  (spell-lsp-execute "spell-lsp.compare"))

(defun spell-lsp-load (file)
  "Show what FILE has: a saved run, or a matrix that another tool wrote."
  (interactive "fShow the measurement in file: ")
  (spell-lsp-execute "spell-lsp.load" (list :path (expand-file-name file))))

(defun spell-lsp-report (format)
  "Write the last measurement in FORMAT to a file, and open it."
  (interactive (list (completing-read "Format: " spell-lsp-report-formats)))
  (spell-lsp-execute "spell-lsp.report" (list :format format)))

(defun spell-lsp-doctor ()
  "Say which meters work here, and how to make the others work."
  (interactive)
  (spell-lsp-execute "spell-lsp.doctor"))

;;; Results of commands

(defun spell-lsp--show (command result)
  "Show the RESULT of COMMAND."
  (cond
   ((member command '("spell-lsp.measure" "spell-lsp.drillDown"))
    (message "spell-lsp: %s" (spell-lsp--get result :summary)))
   ((equal command "spell-lsp.ranking") (spell-lsp--show-ranking result))
   ((equal command "spell-lsp.compare") (spell-lsp--show-page (spell-lsp--get result :page)))
   ((equal command "spell-lsp.report") (find-file-other-window (spell-lsp--get result :path)))
   ((equal command "spell-lsp.setBaseline")
    (message "spell-lsp: later measurements are compared with this one"))
   ((stringp result) (spell-lsp--show-page result))
   ((equal command "spell-lsp.cancel")
    (message "spell-lsp: %s" (if (equal 0 (spell-lsp--get result :cancelled)) "nothing is being measured" "cancelled")))
   (t (message "spell-lsp: done"))))

(defun spell-lsp--show-page (text)
  "Show TEXT in a window of its own."
  (with-current-buffer (get-buffer-create "*spell-lsp*")
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert text))
    (goto-char (point-min))
    (special-mode)
    (display-buffer (current-buffer))))

(defvar spell-lsp-ranking-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'spell-lsp-visit)
    map)
  "Keys of `spell-lsp-ranking-mode'.")

(define-derived-mode spell-lsp-ranking-mode tabulated-list-mode "Spell"
  "The functions that were measured; RET visits one."
  (setq tabulated-list-format [("#" 4 nil :right-align t) ("Zone" 6 nil) ("psi" 6 nil :right-align t)
                               ("Calls" 10 nil :right-align t) ("Function" 40 nil) ("Place" 0 nil)])
  (tabulated-list-init-header))

(defun spell-lsp--show-ranking (rows)
  "Show ROWS, what the server's ranking returned."
  (with-current-buffer (get-buffer-create "*spell-lsp ranking*")
    (spell-lsp-ranking-mode)
    (setq tabulated-list-entries (seq-map #'spell-lsp--entry rows))
    (tabulated-list-print)
    (goto-char (point-min))
    (display-buffer (current-buffer))))

(defun spell-lsp--entry (row)
  "The line of the table for ROW."
  (let ((get (apply-partially #'spell-lsp--get row)))
    (list row (vector (format "%d" (funcall get :rank))
                      (funcall get :zone)
                      (format "%.2f" (funcall get :psi))
                      (format "%.0f" (funcall get :n))
                      (funcall get :id)
                      (format "%s:%d%s" (funcall get :file) (funcall get :line)
                              (if (eq t (funcall get :stale)) " (edited since)" ""))))))

(defun spell-lsp-visit ()
  "Go to the function on this line of the ranking."
  (interactive)
  (let ((row (tabulated-list-get-id)))
    (unless row
      (user-error "There is no function on this line"))
    (find-file-other-window (url-unhex-string (string-remove-prefix "file://" (spell-lsp--get row :uri))))
    (goto-char (point-min))
    (forward-line (1- (spell-lsp--get row :line)))))

(provide 'spell-lsp)
;;; spell-lsp.el ends here
