// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "model/trainer_names.h"
#include "schema/validate.h"
#include "features/migrate/convert_overrides.h"

namespace trainjobc::migrate {
namespace {

using yaml::Maker;
using yaml::Node;

const schema::Schema& property(const schema::Schema& schema, std::string_view name) {
  return *schema.property(name)->schema;
}

class ObjectMigration {
 public:
  ObjectMigration(const ObjectOptions& options, const model::ObjectId& id, const Maker& make)
      : options_(options), id_(id), make_(make), schema_(*options.target.schemas->kind(id.kind)->schema) {}

  MigratedObject run(const Node& root) {
    MigratedObject migrated{&root, {}};
    if (const Node* spec = root.get("spec"); spec && spec->is_map()) {
      const Node* changed = id_.kind == model::kTrainJob ? train_job(*spec) : runtime(*spec);
      if (changed != spec) migrated.root = make_.with(&root, "spec", changed);
    }
    find_unknown(*migrated.root);
    for (base::Diagnostic& loss : losses_) loss.object = id_.str();
    migrated.losses = std::move(losses_);
    return migrated;
  }

 private:
  const Node* train_job(const Node& spec) {
    const schema::Schema& spec_schema = property(schema_, "spec");
    const OverrideTarget target{*options_.target.behaviours, spec_schema, options_.manager};
    const Node* changed = convert_overrides(spec, target, make_, losses_);
    const Node* trainer = spec.get("trainer");
    if (trainer && !trainer->is_map()) trainer = nullptr;
    if (!trainer && !options_.num_processes) return changed;
    const Node* processes = trainer ? trainer->get("numProcPerNode") : nullptr;
    const bool takes_words =
        property(property(spec_schema, "trainer"), "numProcPerNode").type != schema::Type::Integer;
    const bool is_word = processes && processes->is_string();
    if (options_.num_processes) {
      const Node* number = make_.integer(*options_.num_processes);
      return make_.with(changed, "trainer", make_.with(trainer, "numProcPerNode", number));
    }
    if (!is_word || takes_words) return changed;
    return make_.with(changed, "trainer", make_.with(trainer, "numProcPerNode", nullptr));
  }

  // The number of torch processes per node, moved to the TrainJobs.
  const Node* runtime(const Node& spec) {
    const Node* torch = spec.at({"mlPolicy", "torch"});
    if (!torch || !torch->is_map()) return &spec;
    const schema::Schema& schema = property(property(property(schema_, "spec"), "mlPolicy"), "torch");
    const Node* changed = torch;
    const Node* processes = torch->get("numProcPerNode");
    if (processes && !schema.property("numProcPerNode")) {
      changed = make_.with(changed, "numProcPerNode", nullptr);
      if (processes->is_int() && !options_.processes_known) lose_processes(*processes);
    }
    // It had no effect in the version that accepted it.
    if (torch->get("elasticPolicy") && !schema.property("elasticPolicy"))
      changed = make_.with(changed, "elasticPolicy", nullptr);
    return changed == torch ? &spec : make_.with_path(&spec, {"mlPolicy", "torch"}, changed);
  }

  void lose_processes(const Node& processes) {
    losses_.push_back(lost(
        "spec.mlPolicy.torch.numProcPerNode",
        fmt::format("a runtime of Trainer {} does not set the number of processes per node, and no accepted "
                    "TrainJob of the inputs uses it",
                    options_.target.behaviours->trainer),
        fmt::format("set spec.trainer.numProcPerNode: {} in its TrainJobs, or migrate them along with it",
                    processes.text()),
        yaml::locate(processes)));
  }

  // Settings that have no field in the target version.
  void find_unknown(const Node& root) {
    const std::string_view trainer = options_.target.behaviours->trainer;
    for (base::Diagnostic& unknown : schema::find_unknown_fields(root, schema_, id_.kind, trainer)) {
      losses_.push_back(lost(unknown.field, fmt::format("Trainer {} has no field {}", trainer, unknown.field),
                             unknown.hint, unknown.location));
    }
  }

  const ObjectOptions& options_;
  const model::ObjectId& id_;
  const Maker& make_;
  const schema::Schema& schema_;
  Losses losses_;
};

void lose_fields(const model::DialectFields& fields, Losses& losses) {
  if (fields.elastic) {
    losses.push_back(lost("spec.mlPolicy.torch.elasticPolicy",
                          "Trainer has no elastic training: torchrun gets a fixed number of nodes",
                          "set mlPolicy.numNodes instead", yaml::locate(*fields.elastic->node)));
  }
  if (fields.mpi_implementation) {
    losses.push_back(lost("spec.mlPolicy.mpi.mpiImplementation",
                          fmt::format("Trainer supports OpenMPI, not {}", fields.mpi_implementation->value),
                          "use an image with OpenMPI, and remove this",
                          yaml::locate(*fields.mpi_implementation->node)));
  }
  if (fields.min_member) {
    losses.push_back(lost("spec.podGroupPolicy.volcano.minMember",
                          "Trainer counts every pod of the job as a required member", "remove it",
                          yaml::locate(*fields.min_member->node)));
  }
}

}  // namespace

MigratedObject migrate_dialect(const Node& root, const model::Dialect& dialect, const model::ObjectId& id,
                               const ObjectOptions& options, const Maker& make) {
  const model::Translation translation = model::translate(root, dialect, make);
  MigratedObject migrated = migrate_object(*translation.root, id, options, make);
  Losses losses;
  lose_fields(translation.fields, losses);
  std::ranges::move(losses, std::back_inserter(migrated.losses));
  return migrated;
}

MigratedObject migrate_object(const Node& root, const model::ObjectId& id, const ObjectOptions& options,
                              const Maker& make) {
  return ObjectMigration(options, id, make).run(root);
}

}  // namespace trainjobc::migrate
