//===- PartialFileTest.cpp - Links and devices stay what they are ---------===//
//
// Part of Ringi. What a rename would replace is written directly.
//
//===----------------------------------------------------------------------===//

#include "ringi/Support/PartialFile.h"

#include <gtest/gtest.h>

#include <fstream>

namespace fs = std::filesystem;

TEST(PartialFile, NewAndRegularFilesAreWrittenBeside) {
  std::string path = testing::TempDir() + "ringi-partial-new";
  fs::remove(path);
  for (int round = 0; round < 2; ++round) {
    std::string partial = ringi::partialPath(path);
    EXPECT_EQ(partial, path + ".part");
    std::ofstream(partial) << round;
    EXPECT_TRUE(ringi::publishPartial(partial, path));
    EXPECT_FALSE(fs::exists(partial));
    EXPECT_TRUE(fs::exists(path));
  }
  fs::remove(path);
}

TEST(PartialFile, DevicesAndLinksAreWrittenDirectly) {
  EXPECT_EQ(ringi::partialPath("/dev/null"), "/dev/null");
  std::string target = testing::TempDir() + "ringi-partial-target";
  std::string link = testing::TempDir() + "ringi-partial-link";
  std::ofstream(target) << "old";
  fs::remove(link);
  fs::create_symlink(target, link);
  std::string partial = ringi::partialPath(link);
  EXPECT_EQ(partial, link);
  EXPECT_TRUE(ringi::publishPartial(partial, link));
  ringi::discardPartial(partial, link);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(fs::exists(target));
  fs::remove(link);
  fs::remove(target);
}
