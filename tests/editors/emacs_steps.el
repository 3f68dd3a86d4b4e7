;;; emacs_steps.el --- what emacs_test.py does in Emacs -*- lexical-binding: t -*-
;; SPDX-License-Identifier: Apache-2.0
;;; Code:

(require 'trainjobc)
(require 'yaml-mode)
(require 'flymake)
(require 'json)
(require 'xref)

(setq trainjobc-command (list (getenv "TRAINJOBC") "lsp")
      eglot-sync-connect 30
      eglot-send-changes-idle-time 0
      make-backup-files nil)

(defvar steps-results '() "What was seen, by name.")

(defun steps-note (name value)
  "Remember VALUE as what was seen at the step NAME."
  (push (cons name value) steps-results))

(defun steps-wait (condition)
  "Wait until CONDITION, a function, returns something; return it."
  (let ((end (time-add nil 30)) value)
    (while (and (not (setq value (funcall condition))) (time-less-p nil end))
      (accept-process-output nil 0.05))
    value))

(defun steps-diagnostics ()
  "A line for each diagnostic of the buffer."
  (vconcat
   (mapcar (lambda (found)
             (save-excursion
               (goto-char (flymake-diagnostic-beg found))
               (format "%d:%d %s %s" (line-number-at-pos) (1+ (current-column))
                       (flymake-diagnostic-type found) (flymake-diagnostic-text found))))
           (sort (flymake-diagnostics)
                 (lambda (one other) (< (flymake-diagnostic-beg one) (flymake-diagnostic-beg other)))))))

(defun steps-after (text)
  "Move after the first TEXT of the buffer."
  (goto-char (point-min))
  (search-forward text))

(defun steps-place ()
  "Where point is."
  (format "%s:%d:%d" (file-relative-name buffer-file-name (vc-root-dir)) (line-number-at-pos) (1+ (current-column))))

(find-file "jobs/llama.yaml")
(let ((inhibit-message t))
  (apply #'eglot (eglot--guess-contact))
  (flymake-start)
  (steps-wait (lambda () (flymake-diagnostics)))
  (steps-note "diagnostics" (steps-diagnostics))

  (steps-after "numNo")
  (let (hover)
    (eglot-hover-eldoc-function (lambda (text &rest _) (setq hover text)))
    (steps-note "hover" (steps-wait (lambda () (and hover (substring-no-properties hover))))))

  (steps-after "  trainer:\n")
  (insert "    num\n")
  (backward-char)
  (let* ((found (eglot-completion-at-point))
         (table (nth 2 found)))
    (steps-note "completion" (vconcat (mapcar #'substring-no-properties (all-completions "num" table)))))
  (delete-region (line-beginning-position) (1+ (line-end-position)))

  (steps-after "name: torch-p")
  (let ((xref-prompt-for-identifier nil))
    (save-window-excursion
      (xref-find-definitions "LSP identifier at point.")
      (steps-note "definition" (steps-place))))

  (find-file "bert.yaml")
  (steps-wait (lambda () (eglot-managed-p)))
  (goto-char (point-min))
  (steps-note "jobset" (with-current-buffer (trainjobc-show-jobset) (buffer-string))))

(princ (json-encode steps-results))
;;; emacs_steps.el ends here
