{{/* A disruption takes one replica of a part at a time. */}}
{{- define "everword.budget" -}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "everword.name" (index . 0) }}-{{ index . 1 }}
  labels: {{- include "everword.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels: {{- include "everword.selector" . | nindent 6 }}
{{- end }}
