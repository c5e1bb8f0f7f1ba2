"""The fixtures, used as the author of an app does."""

import os
from pathlib import Path

import pytest

from pytest_gantry import CallFailed, GantryFailed

here = Path(__file__).parent


def test_retry(platform):
    app = platform.deploy(here)
    platform.fail("invoke=503:2")
    platform.clock.advance("1h")
    assert app.run(name="Ada") == {"message": "Hello, Ada!"}


@pytest.mark.parametrize("name", ["Ada", "Bob"])
def test_each_test_has_the_state_after_the_deploy(app, name):
    assert (app.runs(), app.logs()) == ([], [])
    assert app.run(name=name) == {"message": f"Hello, {name}!"}
    assert app.logs() == [f"saying hello to {name}"]


def test_calls_after_a_pause_start_a_replica(app, platform):
    app.run()
    app.run()
    assert app.cold_starts == 1
    platform.clock.advance("1h")
    app.run()
    assert app.cold_starts == 2


def test_a_folder_that_is_missing_is_named(platform):
    with pytest.raises(GantryFailed, match="folder nowhere not found"):
        platform.deploy("nowhere")


def test_a_failed_call_shows_the_log(app):
    with pytest.raises(CallFailed, match="this function fails") as failed:
        app.call("fail")
    assert failed.value.status == 500
    assert "about to fail" in str(failed.value)


def test_a_failed_deploy_shows_what_gantry_says(platform, tmp_path):
    (tmp_path / "cerebrium.toml").write_text("[cerebrium.deployment]\nname = 3\n")
    (tmp_path / "main.py").write_text("def run(): ...\n")
    with pytest.raises(GantryFailed, match="name must be a string") as failed:
        platform.deploy(tmp_path)
    assert failed.value.exit_code == 10


def test_any_status_and_a_fault_that_stays(app, platform):
    platform.fail("invoke=500*")
    assert app.request("run", data={"name": "Ada"}).status == 500


def test_faults_of_the_test_before_are_gone(app):
    assert app.request("run", data={"name": "Ada"}).json()["result"] == {"message": "Hello, Ada!"}


def test_a_webhook(app, platform):
    run = app.submit("run", name="Ada", webhook=platform.webhooks.url)
    (delivery,) = platform.webhooks.wait()
    assert delivery.json()["run_id"] == run
    assert delivery.json()["result"] == {"message": "Hello, Ada!"}


def test_deliveries_of_the_test_before_are_gone(platform):
    assert platform.webhooks.received == []


def test_a_snapshot_within_a_test(app, platform):
    app.run()
    platform.snapshot("called")
    app.run()
    platform.restore("called")
    assert len(app.runs()) == 1


def test_the_environment_leads_to_the_platform(platform, monkeypatch):
    assert os.environ["GANTRY_API_URL"] == platform.url
    assert platform.project in platform.gantry("whoami", "--json")
