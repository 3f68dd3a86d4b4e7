# SPDX-License-Identifier: Apache-2.0
# bash completion for trainjobc; the candidates come from `trainjobc __complete`.

_trainjobc() {
  local -a words
  local line=${COMP_LINE:0:COMP_POINT} reply word extension
  # COMP_WORDS is split at = and : too; these are the words as they were typed.
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  local typed=${words[${#words[@]}-1]}
  # What bash replaces: the part after the last = or :.
  local kept=""
  [[ $typed == *[=:]* && $COMP_WORDBREAKS == *[=:]* ]] && kept=${typed%"${typed##*[=:]}"}

  COMPREPLY=()
  reply=$("${words[0]/#\~/$HOME}" __complete "${words[@]:1}" 2> /dev/null) || return 0
  local directive=${reply##*:}
  local files=${typed##*=}
  case $directive in
    8)
      compopt -o filenames 2> /dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$files")
      while IFS= read -r extension; do
        [[ $extension == :* ]] && continue
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -X "!*.$extension" -- "$files")
      done <<< "$reply"
      return 0
      ;;
    16)
      compopt -o filenames 2> /dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$files")
      return 0
      ;;
    0)
      compopt -o filenames 2> /dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$files")
      ;;
    2 | 6) compopt -o nospace 2> /dev/null ;;
  esac
  while IFS=$'\t' read -r word _; do
    [[ $word == :* || -z $word ]] || COMPREPLY+=("${word#"$kept"}")
  done <<< "$reply"
}

complete -F _trainjobc trainjobc
