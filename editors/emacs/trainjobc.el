;;; trainjobc.el --- Kubeflow TrainJobs, checked by trainjobc -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0
;; Package-Requires: ((emacs "28.1") (eglot "1.9"))
;; Version: 0.1.0

;;; Commentary:

;; Runs `trainjobc lsp' with eglot, which is part of Emacs 29:
;;
;;   (require 'trainjobc)
;;   (add-hook 'yaml-mode-hook #'eglot-ensure)      ; the package yaml-mode
;;   (add-hook 'yaml-ts-mode-hook #'eglot-ensure)   ; Emacs 29
;;
;; M-x trainjobc-show-jobset shows what the TrainJob at point becomes.

;;; Code:

(require 'eglot)
(require 'jsonrpc)
(require 'seq)

(defgroup trainjobc nil
  "Kubeflow TrainJobs, checked by trainjobc."
  :group 'tools)

(defcustom trainjobc-command '("trainjobc" "lsp")
  "The program and arguments that start the language server.
For example (\"trainjobc\" \"lsp\" \"--trainer-version\" \"2.2\")."
  :type '(repeat string))

(add-to-list 'eglot-server-programs
             (cons '(yaml-mode yaml-ts-mode) (lambda (&rest _) trainjobc-command)))

(defconst trainjobc--show-jobset "trainjobc.showJobSet")

(defun trainjobc--show (rendered)
  "Show RENDERED, what the server returns for a TrainJob."
  (let ((buffer (get-buffer-create (format "*%s*" (plist-get rendered :uri)))))
    (with-current-buffer buffer
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (plist-get rendered :text))
        (goto-char (point-min)))
      (when (fboundp 'yaml-mode)
        (delay-mode-hooks (yaml-mode)))
      (view-mode 1))
    (display-buffer buffer)
    buffer))

(defun trainjobc--lens-at-point (server)
  "The lens of SERVER for the TrainJob at point, or else the first one."
  (let* ((lenses (seq-filter
                  (lambda (lens)
                    (equal (plist-get (plist-get lens :command) :command) trainjobc--show-jobset))
                  (jsonrpc-request server :textDocument/codeLens
                                   (list :textDocument (eglot--TextDocumentIdentifier)))))
         (line (1- (line-number-at-pos)))
         (above (seq-filter
                 (lambda (lens) (<= (plist-get (plist-get (plist-get lens :range) :start) :line) line))
                 lenses)))
    (or (car (last above)) (car lenses))))

(defun trainjobc-show-jobset ()
  "Show the JobSet that the TrainJob at point becomes."
  (interactive)
  (let* ((server (or (eglot-current-server) (user-error "No language server runs here")))
         (lens (progn
                 (eglot--signal-textDocument/didChange)
                 (trainjobc--lens-at-point server)))
         (command (plist-get lens :command)))
    (unless command
      (user-error "This file has no TrainJob that can be rendered"))
    (trainjobc--show
     (jsonrpc-request server :workspace/executeCommand
                      (list :command (plist-get command :command)
                            :arguments (plist-get command :arguments))))))

(provide 'trainjobc)
;;; trainjobc.el ends here
