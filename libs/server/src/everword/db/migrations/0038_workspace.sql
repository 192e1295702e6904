-- Workspace files: documents (kind 2) under the names of an agent's workspace. Who wrote a version is kept.

ALTER TABLE document_versions ADD COLUMN writer smallint NOT NULL DEFAULT 0 CHECK (writer BETWEEN 0 AND 3);
COMMENT ON COLUMN document_versions.writer IS
    'Of a workspace file: 1 an agent, 2 a person, 3 the system that runs the agent; 0 where that does not matter.';
