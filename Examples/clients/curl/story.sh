#!/usr/bin/env bash
# A collection view over HTTP, with curl and jq.
#
#   LAYOUTD_URL=http://127.0.0.1:8080 ./story.sh
#
# Exits with 1 if the server answers otherwise than openapi.yaml says.
set -euo pipefail

url=${LAYOUTD_URL:-http://127.0.0.1:8080}
url=${url%/}
status=
answer=

# ask METHOD PATH [BODY [CURL OPTION...]]: sets status and answer. Each is a curl, and so a connection, of its
# own: for scroll ticks take a client that keeps one.
ask() {
  local method=$1 path=$2 body=${3-} reply wait tries options=("${@:4}")
  [[ -z $body ]] || options+=(-H 'Content-Type: application/json' --data-binary "$body")
  [[ -z ${LAYOUTD_KEY-} ]] || options+=(-H "Authorization: Bearer $LAYOUTD_KEY")
  for tries in 1 2 3 4; do
    reply=$(curl -sS --max-time 10 -X "$method" "${options[@]}" -w '\n%{http_code} %header{retry-after}' "$url$path")
    read -r status wait <<<"${reply##*$'\n'}"
    answer=${reply%$'\n'*}
    # Too many requests, or too much to do: it says when to come again. After a 503 nobody may know whether
    # a change was made: what has no version is not asked for twice.
    [[ $status == 429 || ($status == 503 && ($path != */@(updates|end) || ${options[*]} == *If-Match*)) ]] || break
    ((tries == 4)) || sleep "${wait:-1}"
  done
}

# expect STATUS: the one that the last answer has to have.
expect() {
  [[ $status == "$1" ]] || fail "status $status, not $1: $answer"
}

fail() {
  echo "story.sh: $*" >&2
  exit 1
}

# get FILTER: what jq finds in the last answer.
get() { jq -r "$1" <<<"$answer"; }

ranges='if . == [] then "nothing" else map("\(.start)–\(.end - 1)") | join(" ") end'

say() { printf '%-9s %s\n' "$1" "$2"; }

# Sixty pictures in two columns, on a small screen.
ask POST /v1/sessions "$(jq -n '{
  collection: {sections: [{items: {
    ids: [range(60) | "p\(.)"],
    sizes: [range(60) | [180, [240, 180, 120][. % 3]]]
  }}]},
  layout: {kind: "waterfall", columnCount: 2},
  viewport: {width: 370, height: 640}
}')"
expect 201
session=/v1/sessions/$(get .id)
version=$(get .version)
say create "60 pictures, $(get .contentSize.height) points high; $(get '.attributes | length') are visible"
say '' "prefetch $(get ".prefetch | $ranges")"

# Down, far down, and back: what was asked for too early is cancelled.
visible=$(get '[.attributes[].indexPath] | @json')
for y in 300 2000 1500; do
  ask POST "$session/scroll" "{\"contentOffset\":{\"x\":0,\"y\":$y}}"
  expect 200
  visible=$(jq -c --argjson was "$visible" \
    'if .reset then [] else $was end - [.disappeared[].indexPath] + [.appeared[].indexPath]' <<<"$answer")
  say scroll "to $y: $(get '.appeared | length') appear, $(get '.disappeared | length') disappear, $(
    jq length <<<"$visible") are visible"
  say '' "prefetch $(get ".prefetch | $ranges"), cancel $(get ".cancelPrefetch | $ranges")"
done
ask GET "$session/attributes"
expect 200
[[ $(jq -c sort <<<"$visible") == "$(get '[.attributes[].indexPath] | sort | @json')" ]] ||
  fail "the ticks do not add up"

# The same pictures as a list; the one in the middle stays there.
ask PUT "$session/layout" \
  '{"layout":{"kind":"list","itemLength":80,"itemSpacing":10,"snap":{"mode":"start"}}}'
expect 200
version=$(get .version)
count=$(get '.sections[0].itemCount')
say switch "to a list, $(get .contentSize.height) points high, at $(get .contentOffset.y)"

# Somebody else takes the first picture away; our batch is for the collection before that.
ask POST "$session/updates" '{"deleteItems":[{"section":0,"start":0,"end":1}]}'
expect 200

# With If-Match a batch is applied to the collection that it was made for, and to no other. If somebody
# else was quicker (412), look again and make another.
while true; do
  batch=$(jq -n --argjson count "$count" '{
    deleteItems: [{section: 0, start: 18, end: 20}],
    insertItems: [{section: 0, at: ($count - 2), items: {ids: ["new"]}}],
    expect: {itemCounts: [$count - 1]},
    anchor: "visible"
  }')
  ask POST "$session/updates" "$batch" -H "If-Match: \"$version\""
  [[ $status == 412 ]] || break
  say update "412: we know version $version, the session is at $(get .version); look again"
  ask GET "$session"
  expect 200
  version=$(get .version)
  count=$(get '.sections[0].itemCount')
done
expect 200
say update "version $(get .version), $(get '.sections[0].itemCount') pictures; $(
  get '.disappearing | length') disappear, $(get '.moving | length') move"

# To the start, and the first picture to the place of the third, by a finger.
ask POST "$session/scroll" '{"contentOffset":{"x":0,"y":0}}'
expect 200
ask POST "$session/movement" '{"indexPath":[0,0]}'
expect 201
ask PATCH "$session/movement" '{"position":{"x":185,"y":400}}'
expect 200
say drag "$(get '"\(.dragged.id) from \(.source[1]) over \(.target[1])"'); $(
  get '[.moving[].final.id] | join(" ")') make room"
ask POST "$session/movement/end" '{}'
expect 200
version=$(get .version)
ask GET "$session/attributes?limit=3"
expect 200
first=$(get '[.attributes[].id] | join(" ")')
say drop "version $version; now $first"
[[ $first == "p2 p3 p1" ]] || fail "the picture is not where it was put down"

# A drag that would end between two pictures ends at one.
ask POST "$session/snap" '{"proposedContentOffset":{"x":0,"y":395},"velocity":{"x":0,"y":1200}}'
expect 200
say snap "395 becomes $(get .targetContentOffset.y), picture $(get '.indexPath[1]')"

ask DELETE "$session"
expect 204
ask GET "$session"
expect 404
say delete gone
