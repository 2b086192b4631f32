/* The C half of dispatch; README.md describes the path of a call through it.

   A Specialization is compiled code for one signature, with a small descriptor for each argument
   (the language is in runtime/cutaway_runtime.h).  A Dispatcher holds them, and selects the one for
   a call: by guards, which put the arguments' fields into slots as they go; else by the codes of
   the arguments' types.  Other calls go to the Python half, which types, chooses or compiles.  No
   tuple and no dict is allocated on the way. */

#define CUTAWAY_DISPATCH_MODULE
#include "dispatch.h"

cutaway_runtime_api *runtime;
PyObject *str_resolve;
PyObject *absent;

static PyMethodDef methods[] = {
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "cutaway.dispatch_c._dispatch",
    .m_doc = "Dispatchers and specializations.",
    .m_size = -1,
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__dispatch(void)
{
    PyObject *module;

    import_array();
    import_umath();
    runtime = PyCapsule_Import(CUTAWAY_RUNTIME_CAPSULE, 0);
    str_resolve = PyUnicode_InternFromString("resolve");
    if (!runtime || !str_resolve)
        return NULL;
    if (ready_profiling() < 0)
        return NULL;
    if (PyType_Ready(&SpecializationType) < 0 || PyType_Ready(&DispatcherType) < 0 ||
        PyType_Ready(&LoopTableType) < 0 || PyType_Ready(&GrowingType) < 0 ||
        PyType_Ready(&BlockType) < 0 || PyType_Ready(&LayoutType) < 0 ||
        PyType_Ready(&NativeListType) < 0 || PyType_Ready(&NativeDictType) < 0 ||
        PyType_Ready(&NativeSetType) < 0 || PyType_Ready(&NativeIteratorType) < 0)
        return NULL;
    runtime->set_block_runner(run_block);
    find_scalar_classes();
    if (find_classes() < 0 || find_kept_integers() < 0 || find_range_fields() < 0)
        return NULL;
    module = new_module(&module_definition);
    if (!module)
        return NULL;
    if (PyModule_AddFunctions(module, code_functions) < 0 ||
        PyModule_AddFunctions(module, selection_functions) < 0 ||
        PyModule_AddFunctions(module, extension_functions) < 0 ||
        PyModule_AddFunctions(module, stack_functions) < 0 ||
        PyModule_AddFunctions(module, block_functions) < 0 ||
        PyModule_AddFunctions(module, native_functions) < 0 ||
        PyModule_AddFunctions(module, ufunc_functions) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    absent = PyObject_CallNoArgs((PyObject *)&PyBaseObject_Type);
    if (!absent || PyModule_AddObjectRef(module, "ABSENT", absent) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    if (PyModule_AddType(module, &SpecializationType) < 0 ||
        PyModule_AddType(module, &DispatcherType) < 0 ||
        PyModule_AddType(module, &GrowingType) < 0 ||
        PyModule_AddType(module, &BlockType) < 0 || PyModule_AddType(module, &LayoutType) < 0 ||
        PyModule_AddType(module, &NativeListType) < 0 ||
        PyModule_AddType(module, &NativeDictType) < 0 ||
        PyModule_AddType(module, &NativeSetType) < 0)
        Py_CLEAR(module);
    return module;
}
