/* The driver of GPUs: its functions, resources, and launches; README.md describes a launch.

   Nothing is opened when the module is loaded. */

#define CUTAWAY_DRIVER_MODULE
#include "driver.h"

static PyMethodDef methods[] = {
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "cutaway.driver_c._driver",
    .m_doc = "The driver of GPUs.",
    .m_size = -1,
    .m_methods = methods,
};

static int fill(PyObject *module)
{
    PyMethodDef *const functions[] = {entry_point_functions, failure_functions,  context_functions,
                                      resource_functions,    operation_functions, argument_functions,
                                      exchange_functions,    resolving_functions, launch_functions};
    PyTypeObject *const types[] = {&ResourceType, &DataType, &CellType, &LauncherType,
                                   &ConfiguredType};

    for (size_t k = 0; k < Py_ARRAY_LENGTH(functions); k++)
        if (PyModule_AddFunctions(module, functions[k]) < 0)
            return -1;
    for (size_t k = 0; k < Py_ARRAY_LENGTH(types); k++)
        if (PyModule_AddType(module, types[k]) < 0)
            return -1;
    return 0;
}

PyMODINIT_FUNC PyInit__driver(void)
{
    PyObject *module;

    import_array();
    module = new_module(&module_definition);
    if (module && fill(module) < 0)
        Py_CLEAR(module);
    return module;
}
