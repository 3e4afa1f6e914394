/// Draco's decoder (C++) as C functions.
#ifndef PELT_IMPORT_DRACO_H
#define PELT_IMPORT_DRACO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ImportDraco ImportDraco;
/// NULL: the bytes are no mesh, and `why` says so in Draco's words.
ImportDraco *import_draco_open(const void *bytes, size_t size, char *why, size_t why_size);
void import_draco_close(ImportDraco *mesh);
int import_draco_points(const ImportDraco *mesh);
int import_draco_triangles(const ImportDraco *mesh);
void import_draco_corners(const ImportDraco *mesh, uint32_t *out); ///< [triangles x 3]
/// Values of the attribute with this unique id, [points x components] of the glTF component type; 0: there is none, or not so.
int import_draco_values(const ImportDraco *mesh, unsigned id, int component_type, int components, void *out);

#ifdef __cplusplus
}
#endif
#endif
