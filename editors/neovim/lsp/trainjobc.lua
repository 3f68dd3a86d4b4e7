-- SPDX-License-Identifier: Apache-2.0
-- For Neovim 0.11 and newer: vim.lsp.enable("trainjobc") reads it from the runtimepath.

return {
  cmd = { "trainjobc", "lsp" },
  filetypes = { "yaml" },
  root_markers = { ".trainjobc.yaml", ".git" },
}
