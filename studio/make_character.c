/// Writes the character that stands in `pelt studio` before a file is dropped, when Pelt is built: making it anew at each start
/// would take seconds. Usage: make_character OUT.glb
#include <pelt/tools.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    PeltMakeDef def = pelt_make_def_default();
    PeltError err = {0};
    def.name = "biped";
    def.vertices = 4000; // every method prepares it in a few seconds, and it bends well
    def.uv = 1;
    if (argc == 2 && pelt_make_file(&def, argv[1], NULL, &err) == PELT_OK)
        return 0;
    fprintf(stderr, "make_character: %s\n", argc == 2 ? err.text : "usage: make_character OUT.glb");
    return 1;
}
