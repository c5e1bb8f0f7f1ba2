local whole=() rest="$COMP_LINE" word bare at=-1
    # bash splits words at a colon. Those with nothing between them on the line are one word.
    for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        bare="${rest#"${rest%%[![:space:]]*}"}"
        if [[ $at -ge 0 && -n "$rest" && "$bare" == "$rest" && ( "$word" == :* || "${whole[at]}" == *: ) ]]; then
            whole[at]="${whole[at]}$word"
        else
            at=$((at + 1))
            whole[at]="$word"
        fi
        rest="${bare#"$word"}"
    done
    cur="${COMP_WORDS[COMP_CWORD]#[=:]}"
    # Of a candidate, bash inserts only what follows the colon.
    local before="${whole[at]%"$cur"}"
