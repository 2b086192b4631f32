"""An index similar to that of pandas: a class around an array that compiled code reads.

Run it: `python examples/extending/pd_index.py`
"""

import operator

import numpy as np

import cutaway
from cutaway import extending, types


class Index:
    """Labels in a sorted array."""

    def __init__(self, data, name="index"):
        self._data = np.sort(data)
        self.name = name

    def __len__(self):
        return len(self._data)

    def get_loc(self, label):
        place = int(np.searchsorted(self._data, label))
        if place == len(self._data) or self._data[place] != label:
            raise KeyError(label)
        return place


# The type of an index tells the type of its array: one class of types, many types.
class IndexType(types.Type):
    def __init__(self, as_array):
        self.as_array = as_array
        super().__init__(name=f"Index({as_array})")


# It depends on the class of the index and on the attribute `_data`: calls look at these in C.
@extending.typeof_impl.register(Index, fingerprint=("_data",))
def typeof_index(value, c):
    return IndexType(cutaway.typeof(value._data))


@extending.register_model(IndexType)
class IndexModel(extending.models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("values", fe_type.as_array)])


extending.make_attribute_wrapper(IndexType, "values", "_data")


@extending.unbox(IndexType)
def unbox_index(typ, obj, c):
    data = c.pyapi.object_getattr_string(obj, "_data")
    native = c.unbox(typ.as_array, data)  # keeps the array until the call is over
    index = c.context.make_helper(c.builder, typ)
    index.values = native.value
    c.pyapi.decref(data)
    return extending.NativeValue(index._getvalue(), is_error=native.is_error)


@extending.box(IndexType)
def box_index(typ, val, c):
    index = c.context.make_helper(c.builder, typ, val)
    cls = c.pyapi.unserialize(Index)
    data = c.box(typ.as_array, index.values)
    result = c.pyapi.call_function_objargs(cls, (data,))
    for used in (cls, data):
        c.pyapi.decref(used)
    return result


@extending.overload_attribute(IndexType, "size")
def index_size(index):
    return lambda index: index._data.size


@extending.overload(len)
def index_len(x):
    if isinstance(x, IndexType):
        return lambda x: x._data.shape[0]


@extending.overload(operator.getitem)
def index_getitem(index, place):
    if isinstance(index, IndexType) and isinstance(place, types.Integer):
        return lambda index, place: index._data[place]


@extending.overload_method(IndexType, "get_loc")
def index_get_loc(index, label):
    def get_loc(index, label):
        low, high = 0, len(index)
        while low < high:
            middle = (low + high) // 2
            if index[middle] < label:
                low = middle + 1
            else:
                high = middle
        if low == len(index) or index[low] != label:
            raise KeyError(label)
        return low

    return get_loc


@cutaway.jit
def places(index, labels):
    """Where each label is in an index."""
    found = np.empty(labels.size, np.int64)
    for k in range(labels.size):
        found[k] = index.get_loc(labels[k])
    return found


if __name__ == "__main__":
    print(places(Index(np.array([2.5, 0.5, 1.5])), np.array([1.5, 0.5])))
