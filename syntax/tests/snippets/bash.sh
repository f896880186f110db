#!/usr/bin/env bash
set -euo pipefail

# Rotates the logs of one service.
readonly KEEP=${KEEP:-5}
declare -A sizes=()

usage() {
  cat <<-TEXT
	usage: ${0##*/} [-k COUNT] DIRECTORY
	TEXT
}

while getopts ':k:h' option; do
  case $option in
    k) keep=$OPTARG ;;
    h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))

for file in "${1:?no directory}"/*.log; do
  [[ -f $file && $file =~ \.log$ ]] || continue
  sizes[$file]=$(stat -c %s "$file")
  if (( sizes[$file] > 1024 * 1024 )); then
    gzip -c "$file" > "$file.$(date +%s).gz" && : > "$file"
  fi
done

mapfile -t old < <(ls -1t "$1"/*.gz 2>/dev/null | tail -n +$(( ${keep:-$KEEP} + 1 )))
printf 'removing %s\n' "${old[@]}"
rm -f -- "${old[@]}"
