-- Statements on documents. Every one names its namespace.

-- find_documents_there --
-- Whether a namespace has documents, workspace files, and either of a conversation.
SELECT EXISTS (SELECT FROM documents WHERE namespace_id = %(namespace_id)s AND kind = 1 AND deleted_at IS NULL) AS documents,
       EXISTS (SELECT FROM documents WHERE namespace_id = %(namespace_id)s AND kind = 2 AND deleted_at IS NULL) AS files,
       EXISTS (SELECT FROM documents
                WHERE namespace_id = %(namespace_id)s AND conversation_id IS NOT NULL AND deleted_at IS NULL)
       AS of_conversations;
