/* Loading of machine code: a relocatable 64-bit ELF object becomes executable memory.

   LLVM's own linker could do this, but it needs LLVM; code from the cache is loaded in some ten
   microseconds without it.  The loader supports only the output of LLVM for compiled functions:
   code and constants, with references to each other and to functions whose addresses are given.
   Anything else is refused, and every field of a file is checked before it is used. */

#include "cutaway_runtime.h"
#include "loader.h"

#if defined(__x86_64__) && defined(__linux__)

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST_SECTIONS 4096
#define LARGEST_IMAGE ((size_t)1 << 30)
#define LARGEST_ALIGNMENT 4096
#define NOWHERE SIZE_MAX
#define STUB_BYTES 16 /* jmp *(next); the address */

/* A file while it is being loaded.  The image has its sections, then a table with the address of
   each symbol, then a stub for each symbol, through which calls reach any address. */
typedef struct {
    const unsigned char *data;
    size_t size, section_count, symbol_count, image_size, addresses_at, stubs_at;
    Elf64_Shdr *sections;
    size_t *places; /* offsets of sections in the image; NOWHERE for those that are not loaded */
    Elf64_Sym *symbols;
    uintptr_t *values; /* of symbols; 0 for undefined ones */
    const char *names;
    size_t names_size;
    unsigned char *image;
} object_file;

static int refuse(const char *why)
{
    PyErr_SetString(PyExc_ValueError, why);
    return -1;
}

static int in_file(const object_file *file, uint64_t offset, uint64_t size)
{
    return offset <= file->size && size <= file->size - offset;
}

static int read_header(object_file *file)
{
    Elf64_Ehdr header;

    if (file->size < sizeof(header))
        return refuse("the object is too short");
    memcpy(&header, file->data, sizeof(header));
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_REL ||
        header.e_machine != EM_X86_64)
        return refuse("the object is of another kind of computer or file");
    file->section_count = header.e_shnum;
    if (!header.e_shnum || header.e_shnum > MOST_SECTIONS ||
        header.e_shentsize != sizeof(Elf64_Shdr) ||
        !in_file(file, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr)))
        return refuse("the table of sections is damaged");
    file->sections = PyMem_Malloc(file->section_count * sizeof(Elf64_Shdr));
    file->places = PyMem_Malloc(file->section_count * sizeof(size_t));
    if (!file->sections || !file->places) {
        PyErr_NoMemory();
        return -1;
    }
    memcpy(file->sections, file->data + header.e_shoff, file->section_count * sizeof(Elf64_Shdr));
    return 0;
}

static const Elf64_Shdr *section_at(const object_file *file, size_t number, uint32_t type)
{
    const Elf64_Shdr *section = number < file->section_count ? &file->sections[number] : NULL;

    if (!section || section->sh_type != type ||
        !in_file(file, section->sh_offset, section->sh_size))
        return NULL;
    return section;
}

static int read_symbols(object_file *file)
{
    const Elf64_Shdr *table = NULL, *names;

    for (size_t k = 0; k < file->section_count; k++)
        if (file->sections[k].sh_type == SHT_SYMTAB) {
            if (table)
                return refuse("there are two tables of symbols");
            if (!(table = section_at(file, k, SHT_SYMTAB)))
                return refuse("the table of symbols is damaged");
        }
    if (!table || table->sh_entsize != sizeof(Elf64_Sym))
        return refuse("there is no table of symbols");
    names = section_at(file, table->sh_link, SHT_STRTAB);
    if (!names || !names->sh_size || file->data[names->sh_offset + names->sh_size - 1])
        return refuse("the names of symbols are damaged");
    file->names = (const char *)file->data + names->sh_offset;
    file->names_size = names->sh_size;
    file->symbol_count = table->sh_size / sizeof(Elf64_Sym);
    file->symbols = PyMem_Malloc(file->symbol_count * sizeof(Elf64_Sym) + 1);
    file->values = PyMem_Calloc(file->symbol_count + 1, sizeof(uintptr_t));
    if (!file->symbols || !file->values) {
        PyErr_NoMemory();
        return -1;
    }
    memcpy(file->symbols, file->data + table->sh_offset, file->symbol_count * sizeof(Elf64_Sym));
    for (size_t k = 0; k < file->symbol_count; k++)
        if (file->symbols[k].st_name >= file->names_size)
            return refuse("the name of a symbol is damaged");
    return 0;
}

/* Constants that contain addresses are marked as writable: for the linker, not for the code. */
static int is_written_to(const object_file *file, const Elf64_Shdr *section)
{
    static const char constant[] = ".data.rel.ro";
    Elf64_Ehdr header;
    const Elf64_Shdr *names;

    if (!(section->sh_flags & SHF_WRITE))
        return 0;
    memcpy(&header, file->data, sizeof(header));
    names = section_at(file, header.e_shstrndx, SHT_STRTAB);
    return !names || section->sh_name >= names->sh_size ||
           names->sh_size - section->sh_name < sizeof(constant) ||
           memcmp(file->data + names->sh_offset + section->sh_name, constant,
                  sizeof(constant) - 1) != 0;
}

static int place_section(object_file *file, size_t number)
{
    const Elf64_Shdr *section = &file->sections[number];
    size_t alignment = section->sh_addralign ? section->sh_addralign : 1;

    file->places[number] = NOWHERE;
    if (!(section->sh_flags & SHF_ALLOC) || !section->sh_size)
        return 0;
    if (section->sh_type != SHT_PROGBITS && section->sh_type != SHT_X86_64_UNWIND)
        return refuse("a section is of a kind that is not known");
    if (section->sh_flags & SHF_TLS || is_written_to(file, section))
        return refuse("there are variables");
    if (!in_file(file, section->sh_offset, section->sh_size))
        return refuse("a section is damaged");
    if (alignment & (alignment - 1) || alignment > LARGEST_ALIGNMENT)
        return refuse("the alignment of a section is damaged");
    file->image_size = (file->image_size + alignment - 1) & ~(alignment - 1);
    file->places[number] = file->image_size;
    file->image_size += section->sh_size;
    return file->image_size > LARGEST_IMAGE ? refuse("the object is too large") : 0;
}

static int map_image(object_file *file)
{
    for (size_t k = 0; k < file->section_count; k++)
        if (place_section(file, k) < 0)
            return -1;
    file->addresses_at = (file->image_size + 15) & ~(size_t)15;
    file->stubs_at = file->addresses_at + ((file->symbol_count + 1) & ~(size_t)1) * 8;
    file->image_size = file->stubs_at + file->symbol_count * STUB_BYTES;
    if (!file->image_size || file->image_size > LARGEST_IMAGE)
        return refuse("there is nothing to be loaded, or too much");
    file->image = mmap(NULL, file->image_size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (file->image == MAP_FAILED) {
        file->image = NULL;
        PyErr_NoMemory();
        return -1;
    }
    for (size_t k = 0; k < file->section_count; k++)
        if (file->places[k] != NOWHERE)
            memcpy(file->image + file->places[k], file->data + file->sections[k].sh_offset,
                   file->sections[k].sh_size);
    return 0;
}

/* --- symbols ----------------------------------------------------------------------------------- */

static int find_outside(object_file *file, size_t number, PyObject *outside)
{
    const char *name = file->names + file->symbols[number].st_name;
    PyObject *key = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
    PyObject *address = key ? PyDict_GetItemWithError(outside, key) : NULL;

    if (!address && !PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "nobody gave the address of %s", name);
    if (address)
        file->values[number] = (uintptr_t)PyLong_AsUnsignedLongLong(address);
    Py_XDECREF(key);
    return PyErr_Occurred() ? -1 : 0;
}

static int find_value(object_file *file, size_t number, PyObject *outside)
{
    const Elf64_Sym *symbol = &file->symbols[number];
    size_t section = symbol->st_shndx;

    if (section == SHN_UNDEF)
        return number && symbol->st_name ? find_outside(file, number, outside) : 0;
    if (section >= file->section_count || file->places[section] == NOWHERE)
        return 0; /* of the file's name, or of debug information: no loaded section refers to it */
    if (symbol->st_value > file->sections[section].sh_size)
        return refuse("a symbol is outside of its section");
    file->values[number] = (uintptr_t)file->image + file->places[section] + symbol->st_value;
    return 0;
}

static int find_values(object_file *file, PyObject *outside)
{
    for (size_t k = 0; k < file->symbol_count; k++) {
        unsigned char *stub = file->image + file->stubs_at + k * STUB_BYTES;
        if (find_value(file, k, outside) < 0)
            return -1;
        memcpy(file->image + file->addresses_at + 8 * k, &file->values[k], 8);
        memcpy(stub, "\xff\x25\0\0\0\0", 6);
        memcpy(stub + 6, &file->values[k], 8);
    }
    return 0;
}

/* --- relocations ------------------------------------------------------------------------------- */

/* Write a distance of 32 bits. */
static int put_distance(unsigned char *place, uintptr_t target, int64_t addend)
{
    int64_t distance = (int64_t)(target + (uintptr_t)addend - (uintptr_t)place);
    int32_t narrow = (int32_t)distance;

    if (narrow != distance)
        return refuse("something is too far away");
    memcpy(place, &narrow, sizeof(narrow));
    return 0;
}

static int relocate(object_file *file, size_t section, const Elf64_Rela *row)
{
    size_t number = ELF64_R_SYM(row->r_info), type = ELF64_R_TYPE(row->r_info);
    size_t bytes = type == R_X86_64_64 ? 8 : 4;
    uint64_t size = file->sections[section].sh_size;
    unsigned char *place;
    uintptr_t value;

    if (type == R_X86_64_NONE)
        return 0;
    if (number >= file->symbol_count || !file->values[number])
        return refuse("a reference is to nothing");
    if (size < bytes || row->r_offset > size - bytes)
        return refuse("a reference is outside of its section");
    place = file->image + file->places[section] + row->r_offset;
    value = file->values[number];
    switch (type) {
    case R_X86_64_64:
        value += (uintptr_t)row->r_addend;
        memcpy(place, &value, sizeof(value));
        return 0;
    case R_X86_64_PLT32:
        if (file->symbols[number].st_shndx == SHN_UNDEF)
            value = (uintptr_t)file->image + file->stubs_at + number * STUB_BYTES;
        return put_distance(place, value, row->r_addend);
    case R_X86_64_PC32:
        return put_distance(place, value, row->r_addend);
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        return put_distance(place, (uintptr_t)file->image + file->addresses_at + 8 * number,
                            row->r_addend);
    }
    return refuse("a reference is of a kind that is not known");
}

static int relocate_all(object_file *file)
{
    for (size_t k = 0; k < file->section_count; k++) {
        const Elf64_Shdr *table = &file->sections[k];
        if (table->sh_type != SHT_RELA && table->sh_type != SHT_REL)
            continue;
        if (table->sh_info >= file->section_count)
            return refuse("a table of references is damaged");
        if (file->places[table->sh_info] == NOWHERE)
            continue;
        if (table->sh_type == SHT_REL || table->sh_entsize != sizeof(Elf64_Rela) ||
            !in_file(file, table->sh_offset, table->sh_size))
            return refuse("a table of references is damaged");
        for (uint64_t at = 0; table->sh_size - at >= sizeof(Elf64_Rela); at += sizeof(Elf64_Rela)) {
            Elf64_Rela row;
            memcpy(&row, file->data + table->sh_offset + at, sizeof(row));
            if (relocate(file, table->sh_info, &row) < 0)
                return -1;
        }
    }
    return 0;
}

/* --- the result -------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    void *image;
    size_t size;
} Code;

static void code_dealloc(Code *self)
{
    munmap(self->image, self->size);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyTypeObject CodeType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.runtime._runtime.Code",
    .tp_basicsize = sizeof(Code),
    .tp_dealloc = (destructor)code_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Machine code in memory, unmapped with the object.",
};

/* The address of an exported function as an int. */
static PyObject *address_of(const object_file *file, PyObject *wanted)
{
    const char *name = PyUnicode_AsUTF8(wanted);

    if (!name)
        return NULL;
    for (size_t k = 0; k < file->symbol_count; k++)
        if (ELF64_ST_BIND(file->symbols[k].st_info) == STB_GLOBAL && file->values[k] &&
            file->symbols[k].st_shndx != SHN_UNDEF &&
            !strcmp(file->names + file->symbols[k].st_name, name))
            return PyLong_FromUnsignedLongLong(file->values[k]);
    PyErr_Format(PyExc_ValueError, "there is no function %U", wanted);
    return NULL;
}

static PyObject *addresses_of(const object_file *file, PyObject *exports)
{
    PyObject *addresses = PyTuple_New(PyTuple_GET_SIZE(exports));

    for (Py_ssize_t k = 0; addresses && k < PyTuple_GET_SIZE(exports); k++) {
        PyObject *address = address_of(file, PyTuple_GET_ITEM(exports, k));
        if (!address)
            Py_CLEAR(addresses);
        else
            PyTuple_SET_ITEM(addresses, k, address);
    }
    return addresses;
}

/* The image as an object, which owns it from now on. */
static PyObject *finished(object_file *file)
{
    Code *code;

    if (mprotect(file->image, file->image_size, PROT_READ | PROT_EXEC) < 0)
        return PyErr_SetFromErrno(PyExc_OSError);
    code = PyObject_New(Code, &CodeType);
    if (code) {
        code->image = file->image;
        code->size = file->image_size;
        file->image = NULL;
    }
    return (PyObject *)code;
}

static PyObject *load(object_file *file, PyObject *exports, PyObject *outside)
{
    PyObject *addresses, *code;

    if (read_header(file) < 0 || read_symbols(file) < 0 || map_image(file) < 0 ||
        find_values(file, outside) < 0 || relocate_all(file) < 0)
        return NULL;
    addresses = addresses_of(file, exports);
    code = addresses ? finished(file) : NULL;
    if (!code) {
        Py_XDECREF(addresses);
        return NULL;
    }
    return Py_BuildValue("(NN)", code, addresses);
}

PyObject *load_object(PyObject *module, PyObject *args)
{
    PyObject *exports, *outside, *result;
    object_file file = {0};
    Py_buffer object;

    if (!PyArg_ParseTuple(args, "y*O!O!", &object, &PyTuple_Type, &exports, &PyDict_Type, &outside))
        return NULL;
    file.data = object.buf;
    file.size = (size_t)object.len;
    result = load(&file, exports, outside);
    if (file.image)
        munmap(file.image, file.image_size);
    PyMem_Free(file.sections);
    PyMem_Free(file.places);
    PyMem_Free(file.symbols);
    PyMem_Free(file.values);
    PyBuffer_Release(&object);
    return result;
}

int ready_loader(void)
{
    return PyType_Ready(&CodeType);
}

#else

PyObject *load_object(PyObject *module, PyObject *args)
{
    PyErr_SetString(PyExc_ValueError, "machine code of this computer is not known here");
    return NULL;
}

int ready_loader(void)
{
    return 0;
}

#endif
