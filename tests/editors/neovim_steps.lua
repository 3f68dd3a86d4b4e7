-- SPDX-License-Identifier: Apache-2.0
-- What neovim_test.py asks a running Neovim: each function returns plain values, as the user sees them.

Steps = {}

local function position(lnum, col)
  return (lnum + 1) .. ":" .. (col + 1)
end

-- Whether the server answers for the current buffer.
function Steps.is_served()
  for _, client in pairs(vim.lsp.buf_get_clients(0)) do
    if client.initialized then
      return true
    end
  end
  return false
end

-- "4:3-4:10 error [rule] message" for each diagnostic of the current buffer.
function Steps.diagnostics()
  local names = { "error", "warning", "info", "hint" }
  local lines = {}
  for _, found in ipairs(vim.diagnostic.get(0)) do
    local lsp = (found.user_data or {}).lsp or {}
    table.insert(lines, {
      string.format("%06d:%06d", found.lnum, found.col),
      string.format("%s-%s %s [%s] %s", position(found.lnum, found.col), position(found.end_lnum, found.end_col),
        names[found.severity], lsp.code or found.code or "", found.message),
    })
  end
  table.sort(lines, function(a, b)
    return a[1] .. a[2] < b[1] .. b[2]
  end)
  return vim.tbl_map(function(line)
    return line[2]
  end, lines)
end

-- The lines of the floating window, {} without one.
function Steps.float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
    end
  end
  return {}
end

-- "word (kind)" for each entry of the completion menu.
function Steps.menu()
  local lines = {}
  for _, item in ipairs(vim.fn.complete_info({ "items" }).items) do
    table.insert(lines, item.word .. (item.kind ~= "" and " (" .. item.kind .. ")" or ""))
  end
  return lines
end

function Steps.lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

-- "jobs/llama.yaml:4:3", relative to the folder that Neovim was started in.
function Steps.place()
  local cursor = vim.api.nvim_win_get_cursor(0)
  return vim.fn.fnamemodify(vim.api.nvim_buf_get_name(0), ":.") .. ":" .. cursor[1] .. ":" .. (cursor[2] + 1)
end

-- The entries of the quickfix list, or of the location list.
function Steps.found()
  local items = vim.fn.getqflist()
  if #items == 0 then
    items = vim.fn.getloclist(0)
  end
  return vim.tbl_map(function(item)
    return string.format("%s:%d:%d %s", vim.fn.fnamemodify(vim.fn.bufname(item.bufnr), ":."), item.lnum, item.col,
      item.text)
  end, items)
end

-- "line text" for each code lens of the buffer.
function Steps.lenses()
  return vim.tbl_map(function(lens)
    return (lens.range.start.line + 1) .. " " .. lens.command.title
  end, vim.lsp.codelens.get(0))
end

-- The titles that the last menu of vim.ui.select showed. Steps.wanted, a title, is chosen.
Steps.titles = {}
Steps.wanted = nil
vim.ui.select = function(items, options, chosen)
  Steps.titles = vim.tbl_map(options.format_item, items)
  for i, title in ipairs(Steps.titles) do
    if title == Steps.wanted then
      return chosen(items[i], i)
    end
  end
  chosen(nil, nil)
end

-- What was said on the command line by this plugin or by Neovim.
Steps.messages = {}
vim.notify = function(text)
  table.insert(Steps.messages, text)
end
