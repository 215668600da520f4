//===- CaseFamilies.h - The parts of the case list --------------*- C++ -*-===//
//
// Part of Ringi. One function per group of op kinds; CasesUpdates.cpp joins
// them.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TEST_KERNELS_CASEFAMILIES_H
#define RINGI_TEST_KERNELS_CASEFAMILIES_H

#include "Cases.h"

namespace ringi::test {

void addElementwiseCases(std::vector<Case> &cases, ElementType type);
void addRowCases(std::vector<Case> &cases, ElementType type);
void addProductCases(std::vector<Case> &cases, ElementType type);
void addMovementCases(std::vector<Case> &cases, ElementType type);
void addUpdateCases(std::vector<Case> &cases, ElementType type);

} // namespace ringi::test

#endif // RINGI_TEST_KERNELS_CASEFAMILIES_H
