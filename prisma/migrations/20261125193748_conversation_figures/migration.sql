-- CreateTable
CREATE TABLE "chat_session_figures" (
    "session_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "message_count" INTEGER NOT NULL DEFAULT 0,
    "tokens_used" BIGINT NOT NULL DEFAULT 0,
    "timed_answers" INTEGER NOT NULL DEFAULT 0,
    "response_ms" BIGINT NOT NULL DEFAULT 0,
    "agent_calls" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "chat_session_figures_pkey" PRIMARY KEY ("session_id")
);

-- CreateTable
CREATE TABLE "chat_person_figures" (
    "user_id" UUID NOT NULL,
    "timed_answers" INTEGER NOT NULL,
    "response_ms" BIGINT NOT NULL,
    "agent_calls" INTEGER NOT NULL,

    CONSTRAINT "chat_person_figures_pkey" PRIMARY KEY ("user_id")
);

-- CreateIndex
CREATE INDEX "chat_session_figures_user_id_message_count_session_id_idx" ON "chat_session_figures"("user_id", "message_count", "session_id");

-- CreateIndex
CREATE INDEX "chat_session_figures_user_id_tokens_used_session_id_idx" ON "chat_session_figures"("user_id", "tokens_used", "session_id");

-- AddForeignKey
ALTER TABLE "chat_session_figures" ADD CONSTRAINT "chat_session_figures_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "chat_sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "chat_person_figures" ADD CONSTRAINT "chat_person_figures_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma cannot say: the third order of the list, whose expression is that of the list
-- (features/chat/sessions/sessions.store.ts).
CREATE INDEX "chat_session_figures_average_idx" ON "chat_session_figures"
  ("user_id", (coalesce(("response_ms"::numeric / nullif("timed_answers", 0))::float8, -1)), "session_id");

-- Calls of tools that are no agents do not count. A test compares the names with those that the product knows.
CREATE FUNCTION "agent_calls_in"(calls jsonb) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_array_length(jsonb_path_query_array(calls,
    '$[*] ? (@.name <> "search_memory" && @.name <> "search_web" && @.name <> "read_page" && @.name <> "make_picture")'))
$$;

-- Whatever adds, changes or removes messages counts them, in the transaction that does it: first in the figures of their
-- conversations, in the order of their ids, then in those of the person, so that no two wait for each other for ever.
CREATE FUNCTION "figure_added_sessions"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO chat_session_figures (session_id, user_id) SELECT id, user_id FROM added ORDER BY id ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION "figure_added_messages"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO chat_session_figures AS kept
      (session_id, user_id, message_count, tokens_used, timed_answers, response_ms, agent_calls)
    SELECT m.session_id, s.user_id, count(*), sum(coalesce(m.input_tokens, 0) + coalesce(m.output_tokens, 0)),
      count(m.duration_ms) FILTER (WHERE m.state = 'complete'),
      coalesce(sum(m.duration_ms) FILTER (WHERE m.state = 'complete'), 0),
      coalesce(sum(agent_calls_in(m.agent_calls)) FILTER (WHERE m.agent_calls <> '[]'), 0)
    FROM added m JOIN chat_sessions s ON s.id = m.session_id GROUP BY 1, 2 ORDER BY 1
    ON CONFLICT (session_id) DO UPDATE SET message_count = kept.message_count + excluded.message_count,
      tokens_used = kept.tokens_used + excluded.tokens_used, timed_answers = kept.timed_answers + excluded.timed_answers,
      response_ms = kept.response_ms + excluded.response_ms, agent_calls = kept.agent_calls + excluded.agent_calls;
  RETURN NULL;
END $$;

CREATE FUNCTION "figure_removed_messages"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- those of a conversation that goes as a whole are gone before its messages
  PERFORM FROM chat_session_figures kept WHERE kept.session_id IN (SELECT session_id FROM removed)
    ORDER BY kept.session_id FOR UPDATE;
  UPDATE chat_session_figures kept SET message_count = kept.message_count - gone.message_count,
      tokens_used = kept.tokens_used - gone.tokens_used, timed_answers = kept.timed_answers - gone.timed_answers,
      response_ms = kept.response_ms - gone.response_ms, agent_calls = kept.agent_calls - gone.agent_calls
    FROM (
      SELECT session_id, count(*) AS message_count,
        sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0)) AS tokens_used,
        count(duration_ms) FILTER (WHERE state = 'complete') AS timed_answers,
        coalesce(sum(duration_ms) FILTER (WHERE state = 'complete'), 0) AS response_ms,
        coalesce(sum(agent_calls_in(agent_calls)) FILTER (WHERE agent_calls <> '[]'), 0) AS agent_calls
      FROM removed GROUP BY 1
    ) gone WHERE kept.session_id = gone.session_id;
  RETURN NULL;
END $$;

CREATE FUNCTION "figure_changed_message"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  was_timed boolean := OLD.state = 'complete' AND OLD.duration_ms IS NOT NULL;
  is_timed boolean := NEW.state = 'complete' AND NEW.duration_ms IS NOT NULL;
BEGIN
  UPDATE chat_session_figures SET
      tokens_used = tokens_used + coalesce(NEW.input_tokens, 0) + coalesce(NEW.output_tokens, 0)
        - coalesce(OLD.input_tokens, 0) - coalesce(OLD.output_tokens, 0),
      timed_answers = timed_answers + is_timed::int - was_timed::int,
      response_ms = response_ms + CASE WHEN is_timed THEN NEW.duration_ms ELSE 0 END
        - CASE WHEN was_timed THEN OLD.duration_ms ELSE 0 END,
      agent_calls = agent_calls + agent_calls_in(NEW.agent_calls) - agent_calls_in(OLD.agent_calls)
    WHERE session_id = NEW.session_id;
  RETURN NULL;
END $$;

CREATE FUNCTION "figure_person"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO chat_person_figures AS kept (user_id, timed_answers, response_ms, agent_calls)
    VALUES (NEW.user_id, NEW.timed_answers - coalesce(OLD.timed_answers, 0), NEW.response_ms - coalesce(OLD.response_ms, 0),
      NEW.agent_calls - coalesce(OLD.agent_calls, 0))
    ON CONFLICT (user_id) DO UPDATE SET timed_answers = kept.timed_answers + excluded.timed_answers,
      response_ms = kept.response_ms + excluded.response_ms, agent_calls = kept.agent_calls + excluded.agent_calls;
  RETURN NULL;
END $$;

-- What is removed never makes a row: an account that is deleted takes its row along, perhaps before its conversations.
CREATE FUNCTION "figure_person_less"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM chat_person_figures kept WHERE kept.user_id IN (SELECT user_id FROM removed) ORDER BY kept.user_id FOR UPDATE;
  UPDATE chat_person_figures kept SET timed_answers = kept.timed_answers - gone.timed_answers,
      response_ms = kept.response_ms - gone.response_ms, agent_calls = kept.agent_calls - gone.agent_calls
    FROM (
      SELECT user_id, sum(timed_answers) AS timed_answers, sum(response_ms) AS response_ms, sum(agent_calls) AS agent_calls
      FROM removed GROUP BY 1
    ) gone WHERE kept.user_id = gone.user_id;
  RETURN NULL;
END $$;

CREATE TRIGGER "chat_sessions_figure_added" AFTER INSERT ON "chat_sessions" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "figure_added_sessions"();
CREATE TRIGGER "chat_messages_figure_added" AFTER INSERT ON "chat_messages" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "figure_added_messages"();
CREATE TRIGGER "chat_messages_figure_removed" AFTER DELETE ON "chat_messages" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION "figure_removed_messages"();
CREATE TRIGGER "chat_messages_figure_changed"
  AFTER UPDATE OF "state", "input_tokens", "output_tokens", "duration_ms", "agent_calls" ON "chat_messages" FOR EACH ROW
  WHEN ((OLD.state, OLD.input_tokens, OLD.output_tokens, OLD.duration_ms, OLD.agent_calls)
    IS DISTINCT FROM (NEW.state, NEW.input_tokens, NEW.output_tokens, NEW.duration_ms, NEW.agent_calls))
  EXECUTE FUNCTION "figure_changed_message"();

-- after the triggers, which nobody who writes passes by meanwhile, and before those of the figures themselves: there each row
-- would change that of its person
INSERT INTO "chat_session_figures" ("session_id", "user_id", "message_count", "tokens_used", "timed_answers", "response_ms", "agent_calls")
  SELECT s.id, s.user_id, count(m.id), coalesce(sum(coalesce(m.input_tokens, 0) + coalesce(m.output_tokens, 0)), 0),
    count(m.duration_ms) FILTER (WHERE m.state = 'complete'),
    coalesce(sum(m.duration_ms) FILTER (WHERE m.state = 'complete'), 0),
    coalesce(sum(agent_calls_in(m.agent_calls)) FILTER (WHERE m.agent_calls <> '[]'), 0)
  FROM "chat_sessions" s LEFT JOIN "chat_messages" m ON m.session_id = s.id GROUP BY s.id;
INSERT INTO "chat_person_figures" ("user_id", "timed_answers", "response_ms", "agent_calls")
  SELECT "user_id", sum("timed_answers"), sum("response_ms"), sum("agent_calls") FROM "chat_session_figures" GROUP BY 1;

CREATE TRIGGER "chat_session_figures_person_added" AFTER INSERT ON "chat_session_figures" FOR EACH ROW
  WHEN ((NEW.timed_answers, NEW.agent_calls) <> (0, 0)) EXECUTE FUNCTION "figure_person"();
CREATE TRIGGER "chat_session_figures_person_changed" AFTER UPDATE ON "chat_session_figures" FOR EACH ROW
  WHEN ((OLD.timed_answers, OLD.response_ms, OLD.agent_calls) <> (NEW.timed_answers, NEW.response_ms, NEW.agent_calls))
  EXECUTE FUNCTION "figure_person"();
CREATE TRIGGER "chat_session_figures_person_removed" AFTER DELETE ON "chat_session_figures" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION "figure_person_less"();
