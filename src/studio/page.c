/// The page's files, taken into the program by the assembler (PELT_PAGE_DIR is where studio/build.sh put them).
#include "studio/page.h"

#include <string.h>

#define EMBED(name, file)                                                                                                        \
    __asm__(".pushsection .rodata\n"                                                                                             \
            ".balign 16\n"                                                                                                       \
            "pelti_page_" #name ":\n"                                                                                            \
            ".incbin \"" PELT_PAGE_DIR "/" file "\"\n"                                                                           \
            "pelti_page_" #name "_end:\n"                                                                                        \
            ".byte 0\n"                                                                                                          \
            ".popsection\n");                                                                                                    \
    extern const char pelti_page_##name[], pelti_page_##name##_end[]

EMBED(html, "index.html.gz");
EMBED(boot, "boot.js.gz");
EMBED(script, "studio.js.gz");
EMBED(style, "studio.css.gz");
EMBED(icon, "icon.svg.gz");
EMBED(biped, "biped.glb");

const void *pelti_studio_character(size_t *size)
{
    // cppcheck-suppress comparePointers ; the assembler puts one behind the other
    *size = (size_t)(pelti_page_biped_end - pelti_page_biped);
    return pelti_page_biped;
}

const PeltiStudioFile *pelti_studio_page(const char *path)
{
    static PeltiStudioFile files[] = {
        {"/", "text/html; charset=utf-8", pelti_page_html, 0},
        {"/boot.js", "text/javascript; charset=utf-8", pelti_page_boot, 0},
        {"/studio.js", "text/javascript; charset=utf-8", pelti_page_script, 0},
        {"/studio.css", "text/css; charset=utf-8", pelti_page_style, 0},
        {"/icon.svg", "image/svg+xml", pelti_page_icon, 0},
    };
    const char *const ends[] = {pelti_page_html_end, pelti_page_boot_end, pelti_page_script_end, pelti_page_style_end,
                                pelti_page_icon_end};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!strcmp(files[i].path, path)) {
            files[i].size = (size_t)(ends[i] - (const char *)files[i].bytes); // the linker knows: the same each time
            return &files[i];
        }
    return NULL;
}
