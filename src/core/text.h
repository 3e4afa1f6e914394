/// Words people mistype.
#ifndef PELTI_CORE_TEXT_H
#define PELTI_CORE_TEXT_H

/// Edit distance (insert, delete, replace); 99 where b is longer than 31 bytes.
int pelti_text_distance(const char *a, const char *b);

/// The word of the list nearest to `word`, for "did you mean"; NULL where none is near (more than half of it differs).
/// `list` is asked word(list, i) for i from 0 until it answers NULL.
const char *pelti_text_nearest(const char *word, const char *(*word_at)(const void *list, int index), const void *list);

#endif
