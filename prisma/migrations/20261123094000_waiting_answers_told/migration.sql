-- An answer that waits for its person to decide over a call is told of as well, since they may never decide: it says that it waits,
-- and is told again when it has gone on and ended. A proposed fact waits as well, but nothing goes on after it.
CREATE OR REPLACE FUNCTION "note_answer"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_for_hooks"("user_id", 'chat.answered',
    jsonb_build_object('session_id', "id", 'message_id', NEW."id", 'title', "session_name",
      'waiting', NEW."agent_calls" @? '$[*] ? (@.state == "waiting" && @.name != "remember")'))
  FROM "chat_sessions" WHERE "id" = NEW."session_id";
  RETURN NULL;
END $$;

DROP TRIGGER "chat_messages_note_answer" ON "chat_messages";

CREATE TRIGGER "chat_messages_note_answer" AFTER UPDATE OF "state" ON "chat_messages" FOR EACH ROW
WHEN (OLD."state" = 'streaming' AND NEW."state" = 'complete')
EXECUTE FUNCTION "note_answer"();
