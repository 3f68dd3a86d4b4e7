// SPDX-License-Identifier: Apache-2.0

#include "compile/target.h"

namespace trainjobc::compile {

Target target_for(const model::Behaviours& behaviours) {
  return {schema::find_version(behaviours.trainer), &behaviours};
}

Target choose_target(std::string_view trainer_version) {
  const model::Behaviours* behaviours = model::find_behaviours(trainer_version);
  return target_for(behaviours ? *behaviours : model::newest_behaviours());
}

}  // namespace trainjobc::compile
