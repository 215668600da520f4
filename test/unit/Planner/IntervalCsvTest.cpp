//===- IntervalCsvTest.cpp - Reading interval tables ------------*- C++ -*-===//
//
// Part of Ringi. What is written is read back, columns come in any order, and
// every mistake is named with its line.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/IntervalCsv.h"

#include <gtest/gtest.h>

using namespace ringi;
using namespace ringi::planner;

static void expectError(const std::string &text, const std::string &message) {
  Expected<IntervalTable> table = readIntervalCsv(text, "t.csv");
  ASSERT_FALSE(table) << text;
  EXPECT_EQ(table.error().message, message);
  EXPECT_EQ(table.error().exitCode(), 2);
}

TEST(IntervalCsv, ReadsColumnsInAnyOrder) {
  Expected<IntervalTable> table = readIntervalCsv(
      "\xEF\xBB\xBFsize, id,upper,lower\r\n4,b1,3,0\r\n\r\n8,b2,9,-3\r\n",
      "t.csv");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->ids, (std::vector<std::string>{"b1", "b2"}));
  ASSERT_EQ(table->items.size(), 2u);
  EXPECT_EQ(table->items[1].lower, -3);
  EXPECT_EQ(table->items[1].upper, 9);
  EXPECT_EQ(table->items[1].bytes, 8);
  EXPECT_EQ(table->items[1].fixedOffset, -1);
  EXPECT_TRUE(table->offsets.empty());
}

TEST(IntervalCsv, WritesWhatItReads) {
  std::string plain = "id,lower,upper,size,offset\nb1,0,3,4,8\nb2,3,9,4,0\n";
  Expected<IntervalTable> table = readIntervalCsv(plain, "t.csv");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->offsets, (std::vector<int64_t>{8, 0}));
  EXPECT_EQ(writeIntervalCsv(*table, table->offsets), plain);

  std::string fixed =
      "id,lower,upper,size,offset,fixed\nb1,0,3,4,8,8\nb2,3,9,4,0,\n";
  table = readIntervalCsv(fixed, "t.csv");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->items[0].fixedOffset, 8);
  EXPECT_EQ(table->items[1].fixedOffset, -1);
  EXPECT_EQ(writeIntervalCsv(*table, table->offsets), fixed);
}

TEST(IntervalCsv, NamesEveryMistakeWithItsLine) {
  std::string head = "id,lower,upper,size\n";
  expectError("", "t.csv: empty; the first line must name id, lower, upper and "
                  "size");
  expectError("id,lower,upper\n",
              "t.csv:1: no column 'size'; the first line must name id, lower, "
              "upper and size");
  expectError("id,lower,upper,size,gaps\n",
              "t.csv:1: unknown column 'gaps'; the columns are id, lower, "
              "upper, size and, if wanted, offset and fixed");
  expectError("id,lower,id,upper,size\n",
              "t.csv:1: column 'id' is given twice");
  expectError(head + "a,0,1\n", "t.csv:2: 3 fields where the header has 4");
  expectError(head + ",0,1,2\n", "t.csv:2: empty id");
  expectError(head + "a,0,1,2\n\na,0,1,2\n",
              "t.csv:4: id 'a' was already given on line 2");
  expectError(head + "a,0,1,2x\n", "t.csv:2: size '2x' is not an integer");
  expectError(head + "a,,1,2\n", "t.csv:2: lower '' is not an integer");
  expectError(head + "a,0,1,9223372036854775808\n",
              "t.csv:2: size '9223372036854775808' does not fit in 64 bits");
  expectError(head + "a,0,1,-2\n", "t.csv:2: negative size -2");
  expectError(head + "a,3,1,2\n", "t.csv:2: lower 3 is greater than upper 1");
  expectError("id,lower,upper,size,fixed\na,0,1,2,-7\n",
              "t.csv:2: negative fixed offset -7; leave the field empty for "
              "none");
  expectError("id,lower,upper,size,offset\na,0,1,2,-7\n",
              "t.csv:2: negative offset -7");
}
