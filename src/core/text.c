/// Finds the word that was meant: the nearest of those there are.
#include "core/text.h"

#include <string.h>

enum { LONGEST = 31 };

int pelti_text_distance(const char *a, const char *b)
{
    int row[LONGEST + 1], n = (int)strlen(b);
    if (n > LONGEST)
        return 99;
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 1; *a; a++, i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int above = row[j], best = diagonal + (*a != b[j - 1]);
            if (above + 1 < best)
                best = above + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = above;
            row[j] = best;
        }
    }
    return row[n];
}

const char *pelti_text_nearest(const char *word, const char *(*word_at)(const void *list, int index), const void *list)
{
    const char *nearest = NULL, *candidate;
    int least = 1 + (int)strlen(word) / 2;
    for (int i = 0; (candidate = word_at(list, i)) != NULL; i++) {
        int distance = pelti_text_distance(word, candidate);
        if (distance <= least && (!nearest || distance < least)) {
            least = distance;
            nearest = candidate;
        }
    }
    return nearest;
}
