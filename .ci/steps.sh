# The steps of continuous integration: each has a limit in seconds, all of them together $limit; one that fails, is stopped or
# finds no time left fails the run, and `summary` says how each ended and how long it took.
limit=${CI_LIMIT:-5300}
titles=() ends=() times=()

step() {  # TITLE SECONDS COMMAND...: its status is the command's
  local begun=$SECONDS left=$((limit - SECONDS)) status=0
  printf '\n== %s  [at %d s]\n' "$1" "$begun"
  local allowed=$(($2 < left ? $2 : left))
  titles+=("$1")
  if [ "$allowed" -le 0 ]; then
    ends+=("left out: the time was over")
    status=124
  else
    timeout --kill-after=30 "$allowed" "${@:3}" || status=$?
    case $status in
      0) ends+=(passed) ;;
      124 | 137) ends+=("stopped after $allowed s") ;;
      *) ends+=("failed with $status") ;;
    esac
  fi
  times+=($((SECONDS - begun)))
  return "$status"
}

summary() {  # status 0 where every step passed
  local number failed=0
  printf '\n'
  for number in "${!titles[@]}"; do
    printf '%5d s  %-28s %s\n' "${times[number]}" "${ends[number]}" "${titles[number]}"
    [ "${ends[number]}" = passed ] || failed=1
  done
  [ "${#titles[@]}" -gt 0 ] || failed=1
  printf '%5d s  %s\n' "$SECONDS" "$([ "$failed" -eq 0 ] && echo "every step passed" || echo "NOT every step passed")"
  return "$failed"
}
