#ifndef RINGI_SHAPE_OPS
#define RINGI_SHAPE_OPS
include "ringi/Dialect/Ringi/IR/RingiOpBase.td"
#endif // RINGI_SHAPE_OPS
