// SPDX-License-Identifier: Apache-2.0

// The scripts do what the controller's do, in our own words: they write the same files and call the same
// commands, as tests/e2e/flux_tests.py checks. One effect differs: the controller's entrypoint ends with 0
// even if the command fails.
#include "policy/plugins/flux_scripts.h"

#include <fmt/format.h>

namespace trainjobc::policy::flux {
namespace {

// "0" or "0-3".
std::string range(int64_t count) {
  return count == 1 ? "0" : fmt::format("0-{}", count - 1);
}

std::string hosts(const ClusterPlan& plan) {
  return fmt::format("{}-node-0-[{}]", plan.job_name, range(plan.nodes));
}

// Of the other brokers: the short name is looked up in the pod's own namespace.
std::string domain(const ClusterPlan& plan) {
  return plan.ns.empty() ? std::string(plan.job_name)
                         : fmt::format("{}.{}.svc.cluster.local", plan.job_name, plan.ns);
}

// The broker's settings, TOML.
std::string broker_config(const ClusterPlan& plan) {
  return fmt::format(R"sh([access]
allow-guest-user = true
allow-root-owner = true

[resource]
path = "/mnt/flux/config/etc/flux/system/R"

[bootstrap]
curve_cert = "/mnt/flux/config/etc/curve/curve.cert"
default_port = 8050
default_bind = "tcp://{device}:%p"
default_connect = "tcp://%h.{domain}:%p"
hosts = [{{ host = "{hosts}" }}]

[archive]
dbpath = "/mnt/flux/config/var/lib/flux/job-archive.sqlite"
period = "1m"
busytimeout = "50s"

[sched-fluxion-qmanager]
queue-policy = "{policy}"
)sh",
                     fmt::arg("device", plan.network_device), fmt::arg("domain", domain(plan)),
                     fmt::arg("hosts", hosts(plan)), fmt::arg("policy", plan.queue_policy));
}

// Of each node, as flags of `flux R encode`.
std::string resources(const ClusterPlan& plan) {
  if (!plan.counts_resources) return "--local";
  std::string flags = fmt::format("--cores={}", range(plan.tasks_per_node));
  if (plan.gpus_per_node > 0) flags += fmt::format(" --gpu={}", range(plan.gpus_per_node));
  return flags;
}

}  // namespace

std::string init_script(const ClusterPlan& plan) {
  return fmt::format(R"sh(#!/bin/bash
# Prepares the shared volume /mnt/flux: the Flux installation and the broker's configuration.
config=/mnt/flux/config
mkdir -p "$config/etc/flux/system/cron.d" "$config/etc/flux/config" "$config/etc/curve" \
  "$config/run/flux" "$config/var/lib/flux" /mnt/flux/view /opt/view/bin

echo "{hosts}" > "$config/etc/flux/system/hostlist"
cat > "$config/etc/flux/config/broker.toml" <<EOT
{broker}
EOT

# The view is the only directory below /opt/views/._view; its links lead to /opt/software.
for view in /opt/views/._view/*; do
  cp -R "$view"/* /mnt/flux/view
done
cp -R /opt/software /mnt/flux/
touch /mnt/flux/flux-operator-done.txt
)sh",
                     fmt::arg("hosts", hosts(plan)), fmt::arg("broker", broker_config(plan)));
}

std::string entrypoint_script(const ClusterPlan& plan) {
  std::string flags = fmt::format("-N {} -n {}", plan.nodes, plan.tasks_per_node * plan.nodes);
  if (plan.gpus_per_node > 0) flags += fmt::format(" -g {}", plan.gpus_per_node);
  return fmt::format(R"sh(#!/bin/bash
# Starts a Flux broker; the first node runs "$@" on all of them.
command="$*"
view=/mnt/flux/view
config=/mnt/flux/config
cp -R /mnt/flux/software/* /opt/software/

# Flux brings a Python of its own.
export PATH="$PATH:$view/bin"
python=$(find "$view/lib" -maxdepth 1 -type d -name 'python3*')
if [ -f "$view/bin/$(basename "$python")" ]; then
  rm -f "$view/bin/python" "$view/bin/python3"
  ln -sf "$view/bin/$(basename "$python")" "$view/lib/python"
  ln -sf "$view/bin/$(basename "$python")" "$view/lib/python3"
fi
export PYTHONPATH="${{PYTHONPATH:-}}:$python/site-packages"
export FLUX_RC_EXTRA="$view/etc/flux/rc1.d"

# For people who look into a running job.
cat > /mnt/flux/load-fluxion.sh <<'EOT'
flux module remove sched-simple
flux module load sched-fluxion-resource
flux module load sched-fluxion-qmanager
EOT
cat > /mnt/flux/flux-view.sh <<EOT
export PATH="$PATH" PYTHONPATH="$PYTHONPATH" LD_LIBRARY_PATH="${{LD_LIBRARY_PATH:-}}:$view/lib"
export fluxsocket="local://$config/run/flux/local"
EOT

# The brokers refuse a certificate that others can read.
cp /curve/curve.cert "$config/etc/curve/curve.cert"
chmod go-r "$config/etc/curve/curve.cert"
chown "$(id -u)" "$config/etc/curve/curve.cert"
flux R encode --hosts="$(cat "$config/etc/flux/system/hostlist")" {resources} > "$config/etc/flux/system/R"

export STATE_DIR="$config/var/lib/flux" FLUX_OUTPUT_DIR=/tmp/fluxout
mkdir -p "$STATE_DIR" "$FLUX_OUTPUT_DIR" "$config/etc/flux/system/cron.d"
broker=(
  "-Scron.directory=$config/etc/flux/system/cron.d" -Stbon.fanout=256 "-Srundir=$config/run/flux"
  "-Sstatedir=$STATE_DIR" "-Slocal-uri=local://$config/run/flux/local"
  -Slog-stderr-level=0 -Slog-stderr-mode=local
)

if [ "$(hostname)" != "{job}-node-0-0" ]; then
  until flux start -o --config "$config/etc/flux/config" "${{broker[@]}}"; do
    echo "the broker ended with status $?; trying again in 15 seconds"
    sleep 15
  done
elif [ -z "$command" ]; then
  flux broker --config-path "$config/etc/flux/config" "${{broker[@]}}"
else
  # shellcheck disable=SC2086 # Flux gets words.
  flux start -o --config "$config/etc/flux/config" "${{broker[@]}}" flux run {flags} $command
fi
status=$?
touch /mnt/flux/flux-operator-complete.txt
exit $status
)sh",
                     fmt::arg("resources", resources(plan)), fmt::arg("job", plan.job_name),
                     fmt::arg("flags", flags));
}

}  // namespace trainjobc::policy::flux
