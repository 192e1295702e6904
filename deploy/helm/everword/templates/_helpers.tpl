{{/* The name of the release's objects: everword, or RELEASE-everword where the release is called otherwise. */}}
{{- define "everword.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/* Labels that select the pods of a part. Takes a list of the root and the part's name. */}}
{{- define "everword.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: everword
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* Labels of a part's objects. */}}
{{- define "everword.labels" -}}
{{- $root := index . 0 -}}
{{ include "everword.selector" . }}
app.kubernetes.io/version: {{ $root.Values.image.tag | default $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ $root.Chart.Name }}-{{ $root.Chart.Version }}
{{- end }}

{{/* An image of Everword. */}}
{{- define "everword.image" -}}
{{- $root := index . 0 -}}
{{- $registry := required "image.registry is not set: say where your images are, such as registry.example.com/" $root.Values.image.registry }}
image: {{ printf "%severword/%s:%s" $registry (index . 1) ($root.Values.image.tag | default $root.Chart.AppVersion) }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
{{- end }}

{{/* Of each container of Everword: it may do nothing that it need not. */}}
{{- define "everword.confined" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}

{{/* Of each pod of Everword. */}}
{{- define "everword.pod" -}}
{{- $root := index . 0 -}}
automountServiceAccountToken: false
# Services' own variables would look like settings.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with $root.Values.pods.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.pods.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.pods.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "everword.selector" . | nindent 8 }}
{{- end }}

{{/* Folders of a container, and of its pod. */}}
{{- define "everword.mounts" -}}
volumeMounts:
  - {name: tmp, mountPath: /tmp}
  {{- if . }}
  - {name: tls, mountPath: /tls, readOnly: true}
  {{- end }}
{{- end }}
{{- define "everword.volumes" -}}
volumes:
  - name: tmp
    emptyDir: {sizeLimit: 1Gi}
  {{- with . }}
  - name: tls
    secret: {secretName: {{ . }}, defaultMode: 0440}
  {{- end }}
{{- end }}

{{/* A variable of a Secret. */}}
{{- define "everword.secret" -}}
- name: {{ index . 1 }}
  valueFrom:
    secretKeyRef: {name: {{ index . 0 }}, key: {{ index . 1 }}{{ if gt (len .) 2 }}, optional: true{{ end }}}
{{- end }}

{{/* The environment of services and workers. */}}
{{- define "everword.environment" -}}
{{- range list "EVERWORD_DATABASE_URL" "EVERWORD_REDIS_URL" "EVERWORD_ADMIN_KEY" "EVERWORD_INTERNAL_TOKEN" }}
{{ include "everword.secret" (list $.Values.secret .) }}
{{- end }}
{{- range list "EVERWORD_CHAT_API_KEY" "EVERWORD_EMBED_API_KEY" }}
{{ include "everword.secret" (list $.Values.secret . "optional") }}
{{- end }}
- name: EVERWORD_EMBEDDER_ADDRESS
  value: {{ include "everword.name" . }}-embedder:50054
{{- if .Values.vllm.enabled }}
{{- if not (hasKey .Values.env "EVERWORD_CHAT_URL") }}
- name: EVERWORD_CHAT_URL
  value: http://{{ include "everword.name" . }}-vllm:8000
{{- if not (hasKey .Values.env "EVERWORD_CHAT_MODEL") }}
- name: EVERWORD_CHAT_MODEL
  value: {{ .Values.vllm.model }}
{{- end }}
{{- end }}
{{- end }}
{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  {{- /* Helm reads numbers as floats, and would write a million as 1e+06. */}}
  value: {{ ternary (printf "%.0f" $value) $value (and (kindIs "float64" $value) (eq (toString (floor $value)) (toString $value))) | quote }}
{{- end }}
{{- end }}

{{/* Where certificates are; of a caller, where the argument says so. */}}
{{- define "everword.tls" -}}
{{- $root := index . 0 -}}
- {name: EVERWORD_TLS_CA, value: /tls/ca.crt}
{{- if or (ne (index . 1) "caller") $root.Values.tls.clients }}
- {name: EVERWORD_TLS_CERT, value: /tls/tls.crt}
- {name: EVERWORD_TLS_KEY, value: /tls/tls.key}
{{- end }}
{{- if and (ne (index . 1) "caller") $root.Values.tls.clients }}
- {name: EVERWORD_TLS_CLIENT_CA, value: /tls/ca.crt}
{{- end }}
{{- end }}

{{/* gRPC services, their ports and what they serve; a test holds them to the contracts. */}}
{{- define "everword.services" -}}
ingest:
  port: 50051
  serves: [Admin, Cost, Document, Erasure, Fact, Graph, Ingest, Lore, Note, Pattern]
search:
  port: 50052
  serves: [Context, FactQuery, GraphQuery, Search]
compactor:
  port: 50053
  serves: [Maintenance]
embedder:
  port: 50054
  serves: []
{{- end }}
