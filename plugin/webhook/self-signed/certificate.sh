#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the webhook's key and certificate beside this script, for DAYS (365): tls.key, tls.crt and ca-bundle.yaml, the
# patch with which the API server trusts it. Don't commit tls.key.
set -eu
cd "$(dirname "$0")"
umask 077
name=trainjobc-webhook.trainjobc-system.svc
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days "${1:-365}" -subj "/CN=$name" \
  -addext "subjectAltName=DNS:$name" -keyout tls.key -out tls.crt 2> /dev/null
cat > ca-bundle.yaml << END
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: trainjobc-webhook
webhooks:
- name: lint.trainjobc.github.io
  clientConfig:
    caBundle: $(base64 < tls.crt | tr -d '\n')
END
