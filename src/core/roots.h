/// What hangs together: each item names another of its set, the lowest names itself (union-find with halved paths).
#ifndef PELTI_CORE_ROOTS_H
#define PELTI_CORE_ROOTS_H

static inline int pelti_root_of(int *root, int at)
{
    while (root[at] != at)
        at = root[at] = root[root[at]];
    return at;
}

static inline void pelti_roots_join(int *root, int a, int b)
{
    a = pelti_root_of(root, a);
    b = pelti_root_of(root, b);
    root[a > b ? a : b] = a > b ? b : a;
}

#endif
