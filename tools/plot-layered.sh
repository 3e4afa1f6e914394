#!/bin/sh
# Draws docs/figures/layered-omega.svg and layered-steps.svg from the results of `pelt bench layered layered-steps -o R.csv`.
# Usage: tools/plot-layered.sh R.csv [folder]
set -eu
results=${1:?results of pelt bench}
out=${2:-docs/figures}
mkdir -p "$out"
style='<style>text{font:13px sans-serif;fill:#444}.g{stroke:#ddd}.a{stroke:#888}</style><rect width="560" height="360" fill="#fff"/>'

awk -F, -v style="$style" '
/^layered,"shape matching, omega/ {
    split($3, w, " "); fast = index($4, "fast") > 0; ms = $5
    if (fast) f[w[2]] = ms; else p[w[2]] = ms
    if (ms > most) most = ms
}
function x(o) { return 60 + (o - 1) * 90 }
function y(v) { return 310 - 270 * v / most }
function line(a, colour,    o, s) {
    for (o = 1; o <= 6; o++) s = s (o > 1 ? " " : "") x(o) "," y(a[o])
    printf "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2.5\"/>\n", s, colour
    for (o = 1; o <= 6; o++) printf "<circle cx=\"%g\" cy=\"%g\" r=\"4\" fill=\"%s\"/>\n", x(o), y(a[o]), colour
}
END {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 560 360\" role=\"img\" aria-label=\"cost of shape matching over omega\">%s\n", style
    for (v = 0; v <= most; v += 5) printf "<line class=\"g\" x1=\"50\" x2=\"530\" y1=\"%g\" y2=\"%g\"/><text x=\"16\" y=\"%g\">%g</text>\n", y(v), y(v), y(v) + 4, v
    for (o = 1; o <= 6; o++) printf "<text x=\"%g\" y=\"332\">%d</text>\n", x(o) - 4, o
    print "<text x=\"250\" y=\"352\">omega, rings of a region</text><text x=\"14\" y=\"22\">ms an iteration, one thread</text>"
    line(p, "#c0392b"); line(f, "#2166ac")
    printf "<text x=\"%g\" y=\"%g\">plain sums</text><text x=\"%g\" y=\"%g\">fast sums</text></svg>\n", x(5) - 100, y(p[5]) - 8, x(5) - 20, y(f[5]) - 12
}' "$results" > "$out/layered-omega.svg"

awk -F, -v style="$style" '
function log10(v) { return log(v) / log(10) }
function x(ms) { return 60 + 440 * (log10(ms) - 2) / 2 }
function y(e) { return 310 - 270 * (log10(e) + 4) / 2.5 }
/^layered-steps,"/ {
    split($2, s, "\""); step = s[2] + 0; split($3, i, " "); ms = $4
    if (match($0, /off by [0-9.]+/)) e = substr($0, RSTART + 7, RLENGTH - 7) + 0
    if (e > 0) { if (!(step in line)) order[++steps] = step; line[step] = line[step] (line[step] ? " " : "") x(ms) "," y(e); n++; cx[n] = x(ms); cy[n] = y(e); it[n] = i[1]; of[n] = step; lx[step] = x(ms); ly[step] = y(e) }
}
END {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 560 360\" role=\"img\" aria-label=\"error over cost for time steps and iterations\">%s\n", style
    for (e = 1e-4; e < 0.02; e *= 10) printf "<line class=\"g\" x1=\"60\" x2=\"530\" y1=\"%g\" y2=\"%g\"/><text x=\"8\" y=\"%g\">%g</text>\n", y(e), y(e), y(e) + 4, e
    for (m = 100; m <= 10000; m *= 10) printf "<line class=\"g\" y1=\"30\" y2=\"310\" x1=\"%g\" x2=\"%g\"/><text x=\"%g\" y=\"328\">%g</text>\n", x(m), x(m), x(m) - 12, m
    print "<text x=\"170\" y=\"350\">ms for a second of motion, two threads</text><text x=\"8\" y=\"20\">mean distance of the skin from 1.25 ms and 40 iterations, share of the size</text>"
    split("#1b7837 #2166ac #e08214 #c0392b", colour, " ")
    for (k = 1; k <= steps; k++) {
        printf "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/><text x=\"%g\" y=\"%g\">%g ms</text>\n", line[order[k]], colour[k], lx[order[k]] + 8, ly[order[k]] + 4, order[k]
        for (j = 1; j <= n; j++) if (of[j] == order[k]) printf "<circle cx=\"%g\" cy=\"%g\" r=\"4\" fill=\"%s\"/><text x=\"%g\" y=\"%g\" style=\"font-size:10px\">%s</text>\n", cx[j], cy[j], colour[k], cx[j] - 4, cy[j] - 7, it[j]
    }
    print "</svg>"
}' "$results" > "$out/layered-steps.svg"
