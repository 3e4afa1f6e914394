/// Wishes for the scene: objects, their surfaces, and how joints give way.
#include "studio/session_parts.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MESHES = 64 }; ///< given to one session: they are kept until it ends

const PeltiSessionMesh *pelti_session_mesh_find(const PeltiSession *s, int number)
{
    for (const PeltiSessionMesh *mesh = s->meshes; mesh; mesh = mesh->before)
        if ((int)mesh->number == number)
            return mesh;
    return NULL;
}

static void free_mesh(PeltiSessionMesh *mesh)
{
    if (!mesh)
        return;
    free(mesh->vertices);
    free(mesh->triangles);
    free(mesh);
}

void pelti_session_mesh_end(PeltiSession *s)
{
    while (s->meshes) {
        PeltiSessionMesh *mesh = s->meshes;
        s->meshes = mesh->before;
        free_mesh(mesh);
    }
}

static PeltiSessionMesh *copy_mesh(const PeltiMsgMesh *wish)
{
    PeltiSessionMesh *mesh = calloc(1, sizeof *mesh);
    size_t vertices = wish->vertices.count * sizeof(float), triangles = wish->triangles.count * sizeof(int);
    if (!mesh)
        return NULL;
    mesh->number = wish->number;
    mesh->vertex_count = (int)wish->vertices.count / 3;
    mesh->triangle_count = (int)wish->triangles.count / 3;
    mesh->vertices = malloc(vertices + 1); // an empty one is no want of memory
    mesh->triangles = malloc(triangles + 1);
    if (mesh->vertices && mesh->triangles) {
        memcpy(mesh->vertices, wish->vertices.data, vertices);
        memcpy(mesh->triangles, wish->triangles.data, triangles);
        return mesh;
    }
    free_mesh(mesh);
    return NULL;
}

/// What was given before under this number, to the last bit: a page that was loaded anew gives all again. With the lock held.
static bool is_known(const PeltiSession *s, const PeltiSessionMesh *mesh)
{
    const PeltiSessionMesh *old = pelti_session_mesh_find(s, (int)mesh->number);
    return old && old->vertex_count == mesh->vertex_count && old->triangle_count == mesh->triangle_count &&
           !memcmp(old->vertices, mesh->vertices, (size_t)mesh->vertex_count * sizeof *mesh->vertices) &&
           !memcmp(old->triangles, mesh->triangles, (size_t)mesh->triangle_count * sizeof *mesh->triangles);
}

PeltStatus pelti_session_mesh(PeltiSession *s, const PeltiMsgMesh *wish, PeltError *err)
{
    if (wish->vertices.count % 3 || wish->triangles.count % 3)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "a mesh has 3 numbers a vertex and a triangle");
    for (uint32_t i = 0; i < wish->triangles.count; i++)
        if (wish->triangles.data[i] < 0 || (uint32_t)wish->triangles.data[i] >= wish->vertices.count / 3)
            return PELT_FAIL(err, PELT_BAD_ARGUMENT, "triangle %u of the mesh names vertex %d of %u", i / 3,
                             wish->triangles.data[i], wish->vertices.count / 3);
    PeltiSessionMesh *mesh = copy_mesh(wish);
    if (!mesh)
        return pelti_no_memory(err, wish->vertices.count * sizeof(float));
    pthread_mutex_lock(&s->lock);
    bool known = is_known(s, mesh), room = s->mesh_total < MOST_MESHES;
    if (room && !known) {
        mesh->before = s->meshes;
        s->meshes = mesh;
        s->mesh_total++;
        mesh = NULL;
    }
    pthread_mutex_unlock(&s->lock);
    free_mesh(mesh);
    if (room || known)
        return PELT_OK;
    return PELT_FAIL(err, PELT_BAD_ARGUMENT, "%d meshes were given already: start the studio anew", MOST_MESHES);
}

/// With the lock held.
static bool is_object(const PeltiSession *s, const float *o)
{
    bool mesh = o[1] == PELT_SHAPE_MESH && o[2] >= 0 && o[2] < PELTI_MESHES && pelti_session_mesh_find(s, (int)o[2]);
    bool shape = mesh || o[1] == PELT_SHAPE_SPHERE || o[1] == PELT_SHAPE_BOX || o[1] == PELT_SHAPE_CYLINDER;
    for (int k = mesh ? 3 : 2; k < 5; k++)
        shape = shape && o[k] > 0 && o[k] < 1e6f;
    return shape && (o[0] == 0 || o[0] == 1 || o[0] == 2) && o[8] > 0 && o[8] < 100;
}

/// With the lock held.
static PeltStatus check(const PeltiSession *s, const PeltiMsgScene *wish, PeltError *err)
{
    for (uint32_t i = 0; i < wish->objects.count / PELTI_PER_OBJECT; i++)
        if (!is_object(s, wish->objects.data + (size_t)i * PELTI_PER_OBJECT))
            return PELT_FAIL(err, PELT_BAD_ARGUMENT,
                             "object %u of the scene is none: kind 0 to 2, shape 0, 1, 2 or 4, sizes above 0", i);
    if (wish->nodes.count != wish->stiffness.count)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "%u stiffnesses for %u joints", wish->stiffness.count, wish->nodes.count);
    int nodes = s->cast ? pelt_character_info(s->cast->who).node_count : 0;
    for (uint32_t i = 0; i < wish->nodes.count; i++)
        if (wish->nodes.data[i] < 0 || wish->nodes.data[i] >= nodes || !(wish->stiffness.data[i] >= 0))
            return PELT_FAIL(err, PELT_BAD_ARGUMENT, "stiffness of node %d of %d", wish->nodes.data[i], nodes);
    return PELT_OK;
}

static void keep(PeltiSessionSceneWish *scene, const PeltiMsgScene *wish)
{
    *scene = (PeltiSessionSceneWish){.serial = scene->serial + 1,
                                     .on = wish->on,
                                     .ground = wish->ground,
                                     .height = wish->height,
                                     .gravity = wish->gravity,
                                     .friction = wish->friction,
                                     .firm = wish->firm,
                                     .object_count = (int)(wish->objects.count / PELTI_PER_OBJECT),
                                     .stiff_count = (int)wish->nodes.count};
    if (scene->object_count)
        memcpy(scene->objects, wish->objects.data, (size_t)scene->object_count * sizeof *scene->objects);
    if (scene->stiff_count) {
        memcpy(scene->stiff_nodes, wish->nodes.data, (size_t)scene->stiff_count * sizeof *scene->stiff_nodes);
        memcpy(scene->stiffness, wish->stiffness.data, (size_t)scene->stiff_count * sizeof *scene->stiffness);
    }
}

PeltStatus pelti_session_scene(PeltiSession *s, const PeltiMsgScene *wish, PeltError *err)
{
    PeltStatus status = PELT_OK;
    pthread_mutex_lock(&s->lock);
    if (wish->epoch == s->epoch) {
        status = check(s, wish, err);
        if (status == PELT_OK) {
            keep(&s->scene, wish);
            pthread_cond_broadcast(&s->asked);
        }
    }
    pthread_mutex_unlock(&s->lock);
    return status;
}
