# The steps of continuous integration: each has a limit in seconds, all of them together $limit; one that fails, is stopped or
# finds no time left fails the run, and `summary` says how each ended and how long it took. `lanes` runs them in two rows side by side.
limit=${CI_LIMIT:-5300}
results=$(mktemp) || exit 1  # a line a step: seconds, how it ended, its title

step() {  # TITLE SECONDS COMMAND...: its status is the command's
  local begun=$SECONDS left=$((limit - SECONDS)) status=0 end
  printf '\n== %s  [at %d s]\n' "$1" "$begun"
  local allowed=$(($2 < left ? $2 : left))
  if [ "$allowed" -le 0 ]; then
    end="left out: the time was over"
    status=124
  else
    timeout --kill-after=30 "$allowed" "${@:3}" || status=$?
    case $status in
      0) end=passed ;;
      124 | 137) end="stopped after $allowed s" ;;
      *) end="failed with $status" ;;
    esac
  fi
  printf '%s\t%s\t%s\n' "$((SECONDS - begun))" "$end" "$1" >> "$results"
  return "$status"
}

lanes() {  # FUNCTION...: two rows of them side by side. Each row takes the next one that nobody has taken: neither waits for the
  # other but at the end. What the second row prints comes when both have ended.
  local taken said second
  taken=$(mktemp -d) && said=$(mktemp) || exit 1
  row() { local each; for each; do ! mkdir "$taken/$each" 2>/dev/null || "$each"; done; }
  row "$@" > "$said" 2>&1 &
  second=$!
  row "$@"
  wait "$second"
  cat "$said"
  rm -rf "$said" "$taken"
}

summary() {  # status 0 where every step passed
  local seconds end title failed=0
  [ -s "$results" ] || failed=1
  printf '\n'
  while IFS=$'\t' read -r seconds end title; do
    printf '%5d s  %-28s %s\n' "$seconds" "$end" "$title"
    [ "$end" = passed ] || failed=1
  done < "$results"
  rm -f "$results"
  printf '%5d s  %s\n' "$SECONDS" "$([ "$failed" -eq 0 ] && echo "every step passed" || echo "NOT every step passed")"
  return "$failed"
}
