#ifndef RINGI_UPDATE_OPS
#define RINGI_UPDATE_OPS
include "ringi/Dialect/Ringi/IR/RingiOpBase.td"
#endif // RINGI_UPDATE_OPS
