/// Inside the room: what its files share. Words, beside those of docs/touching.md: the skin *wanted* is the method's, the *shown*
/// one crosses nothing; a *feature* is a vertex, edge or triangle that another could meet; features in contact are *held apart*
/// (a constraint n.d >= gap, as in position-based dynamics); a *move* is what a round plans for a vertex, its *way* the line
/// there, and a way is made *safe* by cutting it short (continuous collision detection: conservative advancement, path.c). A
/// vertex is *awake* while it is marked in `trouble`: it touched something in the last substep, could not go where it was to go,
/// or would meet or cross something now. Else it is *asleep*: what is left of its lag goes, and then nothing is planned for it.
#ifndef PELTI_TOUCH_PARTS_H
#define PELTI_TOUCH_PARTS_H

#include "touch/patches.h"
#include "touch/touch.h"

static const float TOUCH_TOO_LONG = 1.00003f; ///< of the longest: rounding

enum {
    TOUCH_INFLUENCES = 4,
    TOUCH_MOST_THREADS = 64, ///< more work one after the other
    TOUCH_CHUNK = 16,        ///< pairs of patches in a piece of parallel work
    TOUCH_GRAIN = 128,
    TOUCH_BLOCK = 1024, ///< vertices in a partial sum
    TOUCH_SUMS = 15     ///< p, q, q p^T
};

/// Two features that could meet: a vertex v[0] and the triangle v[1..3], or the edges v[0..1] and v[2..3].
typedef struct TouchFeature {
    int v[4];
    bool edges;
    float start; ///< distance before the move
} TouchFeature;

/// Two features that are held apart: n . (sum of weight[i] * position of v[i]) >= gap.
typedef struct TouchContact {
    int v[4];
    float weight[4];    ///< the first side's are positive and sum to 1, the others' negative and to -1
    Vec3 normal;        ///< unit, from the second feature to the first, as the skin lay before the move
    float gap, inverse; ///< inverse: 1 / sum of weight^2
} TouchContact;

/// Two patches whose features are looked at; `whole`: those too whose ways are not new.
typedef struct TouchNear {
    int a, b;
    bool whole;
    bool meets; ///< its features would, as far as pelti_touch_find_hooks saw
} TouchNear;

typedef struct TouchChunk { ///< what was found for some of these
    int start, count;
    bool full;
} TouchChunk;

/// Of the rest pose: made once (create.c, exempt.c), never changed; all stages read it.
typedef struct TouchRest {
    float size;                    ///< diagonal
    float gap;                     ///< length left between features that touch
    float margin;                  ///< features that may come so near are looked after
    float *edge;                   ///< [vertex] mean length of the edges there
    float *ring_length;            ///< [as mesh->ring] length of the edge to that neighbour
    int (*bone)[TOUCH_INFLUENCES]; ///< [vertex]
    float (*weight)[TOUCH_INFLUENCES];
    unsigned char *crossed; ///< [component x component] bits: cross at rest
    int crossed_stride;     ///< bytes a row; 0: no two components cross, or there are too many to tell them apart
    int crossings;          ///< pairs of triangles that cross
    unsigned char *tangled; ///< [vertex] 1, 2: of, or beside, triangles that cross
} TouchRest;

/// What a frame leaves to the next one: all of it is kept in snapshots, and nothing else is. touch.c and anew.c write it, solve.c
/// the lags and who is in trouble, hooked.c the skin it moves; all stages read it.
typedef struct TouchState {
    bool started;
    float pace;             ///< share of a change of `lag` that is made: falls while skin hardly moves
    int behind;             ///< frames in a row in which something stayed behind
    int stuck;              ///< frames in a row that could not be finished
    float hung;             ///< frames in a row in which something was very far behind, each times the square of how far
    Vec3 *x;                ///< [vertex] shown; crosses nothing
    Vec3 *wanted;           ///< [vertex] by the method at the end of this substep
    Vec3 *lag;              ///< [vertex] planned distance of the shown skin from the wanted one
    unsigned char *trouble; ///< [vertex] is awake
    Mat34 *bones_last;      ///< [bone] of the last substep
} TouchState;

/// The way from pose to pose: of this frame and its substeps. touch.c writes it; solve.c reads the speeds.
typedef struct TouchWay {
    PeltiMotion motion;
    Mat34 *bones_now; ///< [bone] of this substep
    Mat34 common;     ///< motion that all skin has in common in this substep
    Vec3 *offset[2];  ///< [vertex] of the method from lbs, at the last pose and at this one
    float *speed; ///< [vertex] how far it is asked to move in this substep, apart from the common motion: its lag may change by
                  ///< about as much
} TouchWay;

/// Whether a vertex is looked after. Held: near `trouble`; loose: nothing touches there, but it lags or its way was cut short.
typedef enum TouchRing { TOUCH_FREE, TOUCH_HELD, TOUCH_LOOSE } TouchRing;

/// What is looked after: vertices in this round, patches in this substep. gather.c writes it: touch.c and path.c, and solve.c for
/// what contacts reach, ask it to; all of them and find.c read it.
typedef struct TouchGathered {
    unsigned char *ring;   ///< [vertex] TouchRing
    unsigned char *core;   ///< [vertex] 1: its features are held apart as soon as they are near
    int *list, count;      ///< vertices that are not free
    unsigned char *forced; ///< [patch] crossed another after all: looked at whatever it promises
} TouchGathered;

/// The moves of this round, from the shown skin to the plan, and what cuts them short. touch.c, solve.c and hooked.c plan, path.c
/// cuts; find.c reads the plan, and writes which ways are new to it, with hooked.c.
typedef struct TouchMoves {
    Vec3 *plan;               ///< [vertex] where this round goes
    float *cut;               ///< [vertex] share of its move that is safe
    Vec3 *cut_mean;           ///< [vertex] mean motion of the pair that cut it
    float *bound;             ///< [vertex] half of the distance to the nearest feature
    unsigned char *cut_short; ///< [vertex] in the last look (path.c), which the next one judges anew
    unsigned char *replanned; ///< [vertex] its plan is not that of `shared`: contacts pushed it (solve.c)
    unsigned char *fresh; ///< [vertex] its way is new to the search at hand: not that of `way_end`, or for neighbours `judged`
    Vec3 *way_end;        ///< [vertex] where its way ended when features were last searched
    Vec3 *judged;         ///< [vertex] where it ended when neighbours were last judged
    Vec3 *shared;         ///< [vertex] where it ended when shares were last computed
} TouchMoves;

/// Scratch of iron.c, while it runs.
typedef struct TouchIron {
    Vec3 *blend;  ///< [vertex] by linear blend skinning
    Vec3 *offset; ///< [vertex] of the skin from that
    Vec3 *next;   ///< [vertex] offset after the pass at hand
    Vec3 *before; ///< [vertex] the skin that it was given
} TouchIron;

/// Scratch of draw_in.c, while it runs.
typedef struct TouchDrawIn {
    Vec3 *next;   ///< [vertex] place after the pass at hand
    float *scale; ///< [vertex] how much its bones enlarge the skin there
} TouchDrawIn;

/// Scratch of hooked.c, whose bodies are rigid impact zones; the search for hooks (find.c) asks it who goes as one.
typedef struct TouchZones {
    Vec3 *goal;              ///< [vertex] where it would go, whatever meets
    unsigned char *is_bound; ///< [vertex] is of a body: touch.c leaves these awake
    int *body, *next;        ///< [vertex] of a body: its first vertex, and the next of the ring of all of it
} TouchZones;

/// One skin, searched: where its patches lie there, and how. Each search has one of its own and hands it on.
typedef struct TouchSkin {
    const Vec3 *x;     ///< [vertex] which skin
    PeltiBox *box;     ///< [patch]
    TouchShape *shape; ///< [patch]
} TouchSkin;

/// Scratch of crossings.c, while it runs.
typedef struct TouchSearch {
    TouchSkin skin;             ///< that crossings are searched in
    PeltiBoxTree *tree;         ///< of its boxes
    unsigned char *joins_cross; ///< [join] its triangles do there
} TouchSearch;

/// Means nothing from one substep to the next, but where a line says for how long.
typedef struct TouchScratch {
    double (*sums)[TOUCH_SUMS];  ///< [block of vertices]
    Mat34 *bone_turn;            ///< [bone] since the last substep, about the origin: turn_lags
    Mat34 *bone_back;            ///< [bone] inverse of its linear part: find_offsets
    Vec3 *lag_next;              ///< [vertex] lag after the pass at hand (solve.c)
    Vec3 *x_saved, *lag_saved;   ///< [vertex] before this substep's rounds
    Vec3 *x_kept, *lag_kept;     ///< [vertex] while all skin is led in anew (anew.c), the pose is held or something pushes
    Vec3 *wanted_kept;           ///< [vertex] while it is pushed
    unsigned char *trouble_kept; ///< [vertex] likewise
    TouchState before;           ///< this substep, in case it is taken in two
    TouchIron iron;
    TouchDrawIn draw_in;
    TouchZones zones;
    TouchSearch search;
    int *queue;            ///< [vertex] a list or queue of vertices, of one walk over the mesh
    unsigned char *queued; ///< [vertex] is in it, or will be
    unsigned char *turns;  ///< [vertex] how often it was queued again (solve.c)
    unsigned char *turned; ///< [triangle] lies against its neighbours
    PeltiPairs pairs;      ///< of patches, of one search of a tree (find.c, crossings.c)
} TouchScratch;

/// The skin that a method wants, as it was looked at before a substep. look.c writes it, and iron.c what it takes from `ease` and
/// `area`; draw_in.c reads the shapes. find.c takes shapes and ease where the plan is that very skin.
typedef struct TouchLook {
    const Vec3 *x;     ///< [vertex] which skin
    bool holds;        ///< it has not moved since, and what is known of it was not taken
    TouchShape *shape; ///< [patch]
    TouchEase *ease;   ///< [patch] what these bear
    Vec3 *area;        ///< [triangle] twice its area, along its normal
} TouchLook;

/// Where the patches are and how they move on the way at hand. find.c writes it, and look.c where the way ends at a skin that it
/// has looked at; touch.c reads the shapes, path.c hands on the end.
typedef struct TouchBounds {
    PeltiBoxTree *start_tree, *move_tree; ///< of patches: where they are, how they move
    unsigned char *node_fresh;            ///< [node] has a patch with new ways
    PeltiBox *start_box, *move_box;       ///< [patch]
    TouchSkin end;                        ///< the plan; of each patch as it was when a way of it was last new
    TouchEase *end_ease;                  ///< [patch] what its shapes bear, where all ways were new
} TouchBounds;

/// What is known of the patches and their joins on the way at hand. find.c writes it; touch.c, path.c and hooked.c read it.
typedef struct TouchMarks {
    unsigned char *patch_fresh;  ///< [patch] has new ways
    unsigned char *join_listed;  ///< [join] its features are listed
    unsigned char *join_crosses; ///< [join] its triangles cross
    unsigned char *join_smooth;  ///< [join] its triangles surely do not cross
} TouchMarks;

/// Patches whose features are looked at. find.c writes it; hooked.c reads it.
typedef struct TouchNears {
    TouchNear *list;
    int count, capacity;
} TouchNears;

/// Triangles that cross, of the last search for them; what there is no room for is counted alone. crossings.c writes it; touch.c,
/// path.c and exempt.c read it.
typedef struct TouchCrossings {
    PeltiPair *list;
    int count, capacity;
} TouchCrossings;

/// Features that could meet. find.c lists and drops them, path.c writes their shares, solve.c which are held apart; touch.c reads
/// the shares.
typedef struct TouchFeatures {
    TouchFeature *list;
    int count, capacity;
    float *share;          ///< [feature] of the move that is safe
    unsigned char *active; ///< [feature] held apart in this round
    struct {
        TouchFeature *found; ///< by the workers
        TouchChunk *chunks;  ///< of found
        int worker_used[TOUCH_MOST_THREADS];
    } scratch; ///< of a search
} TouchFeatures;

/// What a substep may cost. budget.c writes it: find.c and path.c spend, and find.c says what found no room; touch.c and hooked.c
/// read both.
typedef struct TouchBudget {
    long long used, allowed; ///< pairs of features looked at, about
    bool spent;              ///< nothing more is looked for in this substep
    bool overflow;           ///< there was no room for something: nothing may be called safe
} TouchBudget;

/// Features that are held apart. solve.c writes them; touch.c and catch_up.c read them.
typedef struct TouchContacts {
    TouchContact *list;
    int count, capacity;
} TouchContacts;

/// All of it is made by create.c.
struct PeltiTouch {
    PeltiPool pool;
    const PeltiCharacter *who;
    const PeltiMesh *mesh;
    PeltiJobs *jobs;
    int count; ///< vertices
    TouchRest rest;
    TouchPatches patches;
    TouchState state;
    TouchWay way;
    TouchGathered gathered;
    TouchMoves moves;
    TouchLook look;
    TouchBounds bounds;
    TouchMarks marks;
    TouchNears near;
    TouchCrossings crossings;
    TouchFeatures features;
    TouchContacts contacts;
    TouchBudget budget;
    TouchScratch scratch;
};

// exempt.c
/// Marks what crosses at rest.
PeltStatus pelti_touch_find_exempt(PeltiTouch *t, PeltError *err);
bool pelti_touch_exempt_triangles(const PeltiTouch *t, int a, int b);
bool pelti_touch_exempt_vertices(const PeltiTouch *t, int p, int q);

// touch.c
/// From the shown skin to the pose, where the method wants `goal`; `pose.restart`: that is from the rest pose. `report`, here and
/// below: of this frame, in and out.
void pelti_touch_travel(PeltiTouch *t, PeltiTouchPose pose, const Vec3 *goal, PeltiTouchReport *report);
/// One substep more in the pose that was reached, from the shown skin towards t->state.wanted; what lags may change by as much as
/// it lags.
void pelti_touch_go_on(PeltiTouch *t, PeltiTouchReport *report);
/// The rest pose, as it is shown.
void pelti_touch_to_rest(PeltiTouch *t);

// catch_up.c
/// Goes on in the pose that was reached where something was left far behind, as long as it comes nearer.
void pelti_touch_catch_up(PeltiTouch *t, PeltiTouchReport *report);
/// Sum of squares of how far the skin `x` is behind t->state.wanted; `most`: the farthest.
double pelti_touch_behind(const PeltiTouch *t, const Vec3 *x, float *most);

// anew.c
/// The same in a held pose: skin that would end farther from the goal than by staying where it is stays there; true: it did.
bool pelti_touch_travel_held(PeltiTouch *t, PeltiTouchPose pose, const Vec3 *goal, PeltiTouchReport *report);
/// As pelti_touch_travel, for skin that something pushes by goal - wanted; false: it does not follow, and all is as it was.
bool pelti_touch_travel_pushed(PeltiTouch *t, PeltiTouchPose pose, const Vec3 *goal, PeltiTouchReport *report);
/// Leads all skin in anew where it is stuck or has hung far behind for long, if that brings it nearer to `goal`. `stays`: on
/// purpose, which is not stuck.
void pelti_touch_lead_anew(PeltiTouch *t, PeltiTouchPose pose, const Vec3 *goal, bool stays, PeltiTouchReport *report);

// look.c
/// Fills t->look with the skin `x`, which is to stay where it is until that is taken or forgotten.
void pelti_touch_look(PeltiTouch *t, const Vec3 *x);
/// The skin that was looked at has moved since, or what was seen is of no use.
void pelti_touch_forget_look(PeltiTouch *t);
/// True where the plan is the skin that was looked at: its shapes and ease are the plan's from now on, in t->bounds.
bool pelti_touch_take_look(PeltiTouch *t);
/// What `shapes` bear.
void pelti_touch_ease(PeltiTouch *t, const TouchShape *shapes, TouchEase *ease);
/// False where no edge of a patch that lies so is `most` times as long as at rest: its linear part draws none out by more than
/// its norm.
bool pelti_touch_may_be_drawn(const TouchShape *shape, float most);

// draw_in.c
/// Shortens edges of the skin `x` that are torn and that no larger one of their `bones` draws out as far, after a look at it;
/// true: something moved.
bool pelti_touch_draw_in(PeltiTouch *t, const Mat34 *bones, Vec3 *x);
/// Appends rings around the vertices of scratch.queue from `begin` to `count`, which scratch.queued marks; returns how many there
/// are then.
int pelti_touch_add_rings(const PeltiMesh *mesh, TouchScratch *scratch, int begin, int count, int rings);

// iron.c
/// Smooths the offset of the method's skin from blending by `bones` where triangles lie inside out, after a look at it; true:
/// something moved.
bool pelti_touch_iron(PeltiTouch *t, const Mat34 *bones, Vec3 *x);

// touch.c
Vec3 pelti_touch_blend(const PeltiTouch *t, const Mat34 *bones, int v); ///< linear blend skinning

// budget.c
/// A substep begins: its work is none so far.
void pelti_touch_allow(TouchBudget *budget, int vertices);
/// Counts work in pairs of features; false: there was too much.
bool pelti_touch_spend(TouchBudget *budget, long long work);
void pelti_touch_overflow(TouchBudget *budget, bool overflow); ///< keeps it in mind, until a substep begins
void pelti_touch_forget_overflow(TouchBudget *budget);         ///< what found no room is looked for otherwise

// gather.c
void pelti_touch_gather_begin(PeltiTouch *t); ///< a substep begins: nothing is looked after
/// What is in trouble or lags, with rings around it; `wide`: rings more around trouble.
void pelti_touch_gather(PeltiTouch *t, int wide);
void pelti_touch_gather_one(TouchGathered *gathered, int v, TouchRing as); ///< unless it is looked after
void pelti_touch_gather_forced(TouchGathered *gathered, int patch);

// crossings.c
/// Pairs of triangles that cross in `x` and are not exempt, left in t->crossings; returns how many.
int pelti_touch_find_crossings(PeltiTouch *t, const Vec3 *x);
/// The same of the marked joins alone, in a skin whose boxes are known.
int pelti_touch_list_crossings(PeltiTouch *t, const TouchSkin *skin, const unsigned char *joins);
/// Pairs of triangles of two patches that cross in a skin whose boxes are known; `out` may be NULL: then it is enough to know of
/// one.
int pelti_touch_patches_cross(const PeltiTouch *t, const TouchSkin *skin, int a, int b, TouchCrossings *out);
/// The same, with the skin's shapes to go by. `smooth`: surely not, also when the skin moves by less than the margin or keeps its
/// shape.
bool pelti_touch_join_crosses(const PeltiTouch *t, const TouchSkin *skin, const TouchJoin *join, unsigned char *smooth);

// find.c
/// Features that come near others while the skin goes from t->state.x to t->moves.plan: fills t->features.list, or, not `all`,
/// adds those whose ways are new by more than the gap. Returns how many.
int pelti_touch_find_features(PeltiTouch *t, bool all);
/// Adds features of neighbours that would cross at t->moves.plan, or could in the core, and were not listed; returns how many.
int pelti_touch_find_folds(PeltiTouch *t);
/// Hooks: pairs of patches, one of them with fresh vertices, that would meet on the way to t->moves.plan (t->near,
/// `meets`), or that are neighbours and cross there (t->marks.join_crosses): lists no features, and returns how many.
int pelti_touch_find_hooks(PeltiTouch *t);

// rigid.c
/// Adds to sums of p, q and q p^T a pair of points, as seen from `a` and `b`.
void pelti_touch_sum_pair(double sum[TOUCH_SUMS], Vec3 a, Vec3 p, Vec3 b, Vec3 q);
/// The rigid motion that takes the first points of `count` such pairs nearest to the second ones.
Mat34 pelti_touch_rigid(const double sum[TOUCH_SUMS], int count, float size, Vec3 a, Vec3 b);

// hooked.c
/// Takes the skin from t->state.x towards t->state.wanted where nothing could be worked out feature by feature: what would meet
/// something is hooked, and goes with it as one body by the rigid motion they have in common (a rigid impact zone), with all that
/// would be torn from it; the rest arrives. False: there was no end to it, nothing moved.
bool pelti_touch_leave_hooked(PeltiTouch *t);
/// Whether these four vertices are of one such body: then they do not meet.
bool pelti_touch_one_body(const TouchZones *zones, const int v[4]);

// path.c
/// Distance of two features; `weight` and `normal` as in TouchContact.
double pelti_touch_distance(const TouchFeature *f, const Vec3 p[4], float weight[4], Vec3 *normal);
/// Share of the linear way from p to p + d that two features can go without coming nearer than a tenth of their distance; `hair`:
/// a length so small (HAIR of the gap) that features nearer than it may hardly come nearer at all.
float pelti_touch_safe_share(const TouchFeature *f, const Vec3 p[4], const Vec3 d[4], float hair);
/// t->features.share of the features from `first` on for the way from t->state.x to t->moves.plan; or only of
/// those with a vertex that `only` marks.
void pelti_touch_share(PeltiTouch *t, int first, const unsigned char *only);
/// The normals of the triangles beside k, summed, against its own: negative where it lies against them.
float pelti_touch_against_neighbours(const PeltiMesh *mesh, const TouchPatches *patches, const Vec3 *x, int k);
/// The same of one pair of features.
float pelti_touch_share_of(const PeltiTouch *t, const TouchFeature *f);
/// How far the moves may draw out the edge r of the vertex v; `had`, `length`: what it has before and after them.
float pelti_touch_longest(const PeltiTouch *t, int v, int r, float *had, float *length);
/// Cuts ways short until no feature meets another; returns how many features would have met. Not
/// `safe`: there was no end to it.
int pelti_touch_make_safe(PeltiTouch *t, bool *safe);

// solve.c
/// t->moves.plan from t->state.wanted and t->state.lag: contacts are held apart, the lag spreads smoothly.
void pelti_touch_solve(PeltiTouch *t);

#endif
