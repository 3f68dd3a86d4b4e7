-- SPDX-License-Identifier: Apache-2.0
-- trainjobc's language server in Neovim 0.7 and newer:
--
--   require("trainjobc").setup()
--   require("trainjobc").setup({ cmd = { "/opt/trainjobc/bin/trainjobc", "lsp" }, code_lens = false })
--
-- Adds :TrainjobcJobSet, which shows what the TrainJob at the cursor becomes. Definitions in Trainer's catalogue open as
-- read-only buffers.

local M = {}

local SHOW_JOBSET = "trainjobc.showJobSet"

local config = {
  cmd = { "trainjobc", "lsp" },
  cmd_env = {}, -- such as { TRAINJOBC_TRAINER_VERSION = "2.2" }
  root_markers = { ".trainjobc.yaml", ".git" },
  code_lens = true,
}

-- The nearest folder above the file with one of the markers, or the file's own.
local function root_of(file)
  local folder = vim.fn.fnamemodify(file, ":p:h")
  local last
  local at = folder
  while at ~= last do
    for _, marker in ipairs(config.root_markers) do
      local path = at .. "/" .. marker
      if vim.fn.filereadable(path) == 1 or vim.fn.isdirectory(path) == 1 then
        return at
      end
    end
    last, at = at, vim.fn.fnamemodify(at, ":h")
  end
  return folder
end

-- Shows a rendered JobSet in a scratch buffer beside the current window.
function M.show(rendered)
  local buffer = vim.fn.bufnr("^" .. vim.fn.escape(rendered.uri, "[]*?\\{},") .. "$")
  if buffer == -1 then
    buffer = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buffer, rendered.uri)
    vim.api.nvim_buf_set_option(buffer, "filetype", "yaml")
  end
  vim.api.nvim_buf_set_option(buffer, "modifiable", true)
  local text = rendered.text:gsub("\n$", "")
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, "\n"))
  vim.api.nvim_buf_set_option(buffer, "modifiable", false)
  local window = vim.fn.bufwinid(buffer)
  if window == -1 then
    vim.cmd("vsplit")
    vim.api.nvim_win_set_buf(0, buffer)
  else
    vim.api.nvim_set_current_win(window)
  end
  return buffer
end

-- Runs a lens's command, and shows what it returns.
local function run(command, context)
  local params = { command = command.command, arguments = command.arguments }
  vim.lsp.buf_request(context.bufnr, "workspace/executeCommand", params, function(failure, rendered)
    if failure then
      vim.notify("trainjobc: " .. failure.message, vim.log.levels.ERROR)
    elseif rendered then
      M.show(rendered)
    end
  end)
end

-- The JobSet of the TrainJob at the cursor, or of the first one below it.
function M.show_jobset()
  local buffer = vim.api.nvim_get_current_buf()
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local params = { textDocument = vim.lsp.util.make_text_document_params(buffer) }
  vim.lsp.buf_request_all(buffer, "textDocument/codeLens", params, function(answers)
    local first, chosen
    for _, answer in pairs(answers) do
      for _, lens in ipairs(answer.result or {}) do
        if lens.command and lens.command.command == SHOW_JOBSET then
          first = first or lens
          if lens.range.start.line <= line then
            chosen = lens
          end
        end
      end
    end
    chosen = chosen or first
    if chosen then
      run(chosen.command, { bufnr = buffer })
    else
      vim.notify("trainjobc: this file has no TrainJob that can be rendered", vim.log.levels.WARN)
    end
  end)
end

-- What each buffer of the server has.
local function attached(buffer)
  if vim.bo[buffer].omnifunc == "" then
    vim.bo[buffer].omnifunc = "v:lua.vim.lsp.omnifunc"
  end
  if not config.code_lens then
    return
  end
  vim.api.nvim_create_autocmd({ "BufEnter", "InsertLeave", "BufWritePost", "TextChanged" }, {
    group = vim.api.nvim_create_augroup("trainjobc_lens_" .. buffer, {}),
    buffer = buffer,
    callback = function()
      vim.lsp.codelens.refresh()
    end,
  })
  vim.lsp.codelens.refresh()
end

-- The capabilities of Neovim, and that it opens the catalogue's runtimes.
local function capabilities()
  local own = vim.lsp.protocol.make_client_capabilities()
  own.workspace = vim.tbl_extend("force", own.workspace or {}, { textDocumentContent = vim.empty_dict() })
  return own
end

-- Fills the buffer of a runtime of the catalogue, trainjobc-runtime://catalogue/v2.3/NAME.yaml.
local function read_runtime(event)
  local answer
  local all = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
  for _, client in ipairs(all) do
    if client.name == "trainjobc" and not answer then
      answer = client.request_sync("workspace/textDocumentContent", { uri = event.match }, 5000, event.buf)
    end
  end
  local text = answer and answer.result and answer.result.text or ""
  text = text:gsub("\n$", "")
  vim.api.nvim_buf_set_lines(event.buf, 0, -1, false, vim.split(text, "\n"))
  vim.api.nvim_buf_set_option(event.buf, "buftype", "nofile")
  vim.api.nvim_buf_set_option(event.buf, "modified", false)
  vim.api.nvim_buf_set_option(event.buf, "modifiable", false)
  vim.api.nvim_buf_set_option(event.buf, "filetype", "yaml")
end

local clients = {} -- by root folder, for Neovim before 0.11

local function start(buffer)
  local file = vim.api.nvim_buf_get_name(buffer)
  if vim.bo[buffer].buftype ~= "" or file == "" then
    return
  end
  local root = root_of(file)
  local id = clients[root]
  if not (id and vim.lsp.get_client_by_id(id)) then
    id = vim.lsp.start_client({
      name = "trainjobc",
      cmd = config.cmd,
      cmd_env = config.cmd_env,
      root_dir = root,
      capabilities = capabilities(),
      workspace_folders = { { uri = vim.uri_from_fname(root), name = vim.fn.fnamemodify(root, ":t") } },
      on_attach = function(_, attached_buffer)
        attached(attached_buffer)
      end,
      on_exit = function()
        clients[root] = nil
      end,
    })
    clients[root] = id
  end
  if id then
    vim.lsp.buf_attach_client(buffer, id)
  end
end

function M.setup(options)
  config = vim.tbl_extend("force", config, options or {})
  vim.lsp.commands[SHOW_JOBSET] = run
  vim.api.nvim_create_user_command("TrainjobcJobSet", M.show_jobset, { desc = "Show the JobSet of the TrainJob at the cursor" })

  local group = vim.api.nvim_create_augroup("trainjobc", {})
  vim.api.nvim_create_autocmd("BufReadCmd", { group = group, pattern = "trainjobc-runtime://*", callback = read_runtime })
  if vim.lsp.enable then -- 0.11
    vim.lsp.config("trainjobc", {
      cmd = config.cmd,
      cmd_env = config.cmd_env,
      filetypes = { "yaml" },
      root_markers = config.root_markers,
      capabilities = capabilities(),
    })
    vim.lsp.enable("trainjobc")
    vim.api.nvim_create_autocmd("LspAttach", {
      group = group,
      callback = function(event)
        local client = vim.lsp.get_client_by_id(event.data.client_id)
        if client and client.name == "trainjobc" then
          attached(event.buf)
        end
      end,
    })
    return
  end
  vim.api.nvim_create_autocmd("FileType", {
    group = group,
    pattern = "yaml",
    callback = function(event)
      start(event.buf)
    end,
  })
end

return M
